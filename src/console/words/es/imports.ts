/** What the page of imports says. */
export const imports = {
  imports: {
    about: 'Contactos, tratos y productos de una hoja de cálculo, guardada como CSV.',
    becomes: (name: string) => `En qué se convierte ${name}`,
    check: 'Comprobar',
    checked: 'Comprobado',
    column: 'Columna',
    columns: 'Columnas del archivo',
    dealProducts: 'Productos de tratos',
    did: (created: string, updated: string, refused: string) =>
      `${created} creados, ${updated} modificados, ${refused} rechazados.`,
    done: 'Importado',
    events: 'Notas y actividades',
    field: 'Se convierte en',
    file: 'Archivo',
    fileHint: 'La primera fila nombra las columnas.',
    goOn: 'Continuar',
    leaveOut: 'No importar',
    pause: 'Pausar',
    records: 'Qué son las filas',
    refused: 'Filas rechazadas',
    report: 'Descargar filas rechazadas',
    row: 'Fila',
    start: 'Importar',
    title: 'Importar',
    upsert: 'Modificar lo que ya existe',
    upsertHint: 'Por correo o teléfono; el primer trato de un contacto.',
    values: 'Valores',
    why: 'Motivo',
    would: (created: string, updated: string, refused: string) =>
      `${created} se crearían, ${updated} se modificarían, ${refused} se rechazarían.`,
  },
};

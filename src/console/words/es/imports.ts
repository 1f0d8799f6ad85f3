/** What the page of imports says. */
export const imports = {
  imports: {
    about: 'Contactos, negocios y productos de una hoja de cálculo, guardada como CSV.',
    becomes: (name: string) => `En qué se convierte ${name}`,
    check: 'Comprobar',
    checked: 'Comprobado',
    column: 'Columna',
    columns: 'Columnas del archivo',
    dayOrders: {
      'day-first': 'Primero el día, como 31/12/2026',
      'month-first': 'Primero el mes, como 12/31/2026',
    },
    days: 'Los días se escriben',
    dealProducts: 'Productos de negocios',
    did: (created: string, updated: string, refused: string) =>
      `${created} creados, ${updated} modificados, ${refused} rechazados.`,
    done: 'Importado',
    encoding: 'Codificación',
    encodingHint: 'El archivo no es UTF-8. Si abajo hay caracteres erróneos, es otra.',
    events: 'Notas y actividades',
    field: 'Se convierte en',
    file: 'Archivo',
    fileHint: 'La primera fila nombra las columnas.',
    goOn: 'Continuar',
    keepRest: 'Conservar las demás columnas como atributos personalizados',
    leaveOut: 'No importar',
    pause: 'Pausar',
    records: 'Qué son las filas',
    refused: 'Filas rechazadas',
    report: 'Descargar filas rechazadas',
    row: 'Fila',
    start: 'Importar',
    title: 'Importar',
    undo: 'Deshacer esta importación',
    upsert: 'Actualizar los registros que ya existen',
    upsertHint: 'Se buscan por correo o teléfono; de los negocios, el primero del contacto.',
    values: 'Valores',
    why: 'Motivo',
    would: (created: string, updated: string, refused: string) =>
      `${created} se crearían, ${updated} se modificarían, ${refused} se rechazarían.`,
    wrong: {
      nothing: () => 'Ninguna columna se convierte en nada todavía.',
      unknown: (field: string) => `Una columna no puede convertirse en ${field}.`,
      repeated: (field: string) => `Dos columnas se convierten en ${field}.`,
      whole: (field: string) =>
        `O una columna se convierte en ${field}, u otras se convierten en claves suyas.`,
      stray: (field: string) =>
        `${field} es de un producto: elija también la columna que lo nombra.`,
    },
  },
};

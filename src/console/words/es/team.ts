export const team = {
  records: {
    all: 'Todos',
    anybody: 'Cualquiera',
    owner: 'Responsable',
    pipeline: 'Embudo',
    search: 'Buscar',
    status: 'Estado',
    statuses: { open: 'Abierto', won: 'Ganado', lost: 'Perdido' },
    untitled: 'Sin nombre',
  },
  board: {
    askForPipeline: 'Un administrador de su cuenta puede crear uno.',
    carried: (stage: string, place: number, count: number) => `${stage}, ${place} de ${count}`,
    createPipeline: 'Crear un embudo',
    grabbed: (deal: string) =>
      `${deal} tomado. Las flechas lo mueven, espacio lo suelta, escape lo deja donde estaba.`,
    handle: (deal: string) => `Mover ${deal}`,
    keys: 'Espacio toma el negocio. Después las flechas lo mueven y espacio lo suelta.',
    left: 'Se quedó donde estaba.',
    more: (count: string) => `${count} más`,
    moved: (deal: string, stage: string) => `${deal} movido a ${stage}.`,
    noPipeline: 'Todavía no hay ningún embudo',
    title: 'Tablero',
    whyPipeline: 'Un embudo es una forma de vender: sus etapas son las columnas de este tablero.',
  },
};

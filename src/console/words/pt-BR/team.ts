export const team = {
  records: {
    all: 'Todos',
    anybody: 'Qualquer pessoa',
    owner: 'Responsável',
    pipeline: 'Funil',
    search: 'Buscar',
    status: 'Situação',
    statuses: { open: 'Aberto', won: 'Ganho', lost: 'Perdido' },
    untitled: 'Sem nome',
  },
  board: {
    askForPipeline: 'Um administrador da sua conta pode criar um.',
    carried: (stage: string, place: number, count: number) => `${stage}, ${place} de ${count}`,
    createPipeline: 'Criar um funil',
    grabbed: (deal: string) =>
      `${deal} pego. As setas movem, espaço solta, escape deixa onde estava.`,
    handle: (deal: string) => `Mover ${deal}`,
    keys: 'Espaço pega o negócio. Depois as setas o movem e espaço o solta.',
    left: 'Ficou onde estava.',
    more: (count: string) => `mais ${count}`,
    moved: (deal: string, stage: string) => `${deal} movido para ${stage}.`,
    noPipeline: 'Ainda não há nenhum funil',
    title: 'Quadro',
    whyPipeline: 'Um funil é um jeito de vender: suas etapas são as colunas deste quadro.',
  },
};

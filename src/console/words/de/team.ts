export const team = {
  records: {
    all: 'Alle',
    anybody: 'Alle',
    owner: 'Zuständig',
    pipeline: 'Pipeline',
    search: 'Suche',
    status: 'Status',
    statuses: { open: 'Offen', won: 'Gewonnen', lost: 'Verloren' },
    untitled: 'Ohne Namen',
  },
  board: {
    askForPipeline: 'Ein Admin Ihres Kontos kann eine anlegen.',
    carried: (stage: string, place: number, count: number) => `${stage}, ${place} von ${count}`,
    createPipeline: 'Pipeline anlegen',
    grabbed: (deal: string) =>
      `${deal} aufgenommen. Pfeiltasten bewegen, Leertaste legt ab, Escape lässt den Deal, wo er war.`,
    handle: (deal: string) => `${deal} verschieben`,
    keys: 'Die Leertaste nimmt den Deal auf. Dann bewegen ihn die Pfeiltasten, und die Leertaste legt ihn ab.',
    left: 'Blieb, wo er war.',
    more: (count: string) => `${count} weitere`,
    moved: (deal: string, stage: string) => `${deal} nach ${stage} verschoben.`,
    noPipeline: 'Es gibt noch keine Pipeline',
    title: 'Board',
    whyPipeline:
      'Eine Pipeline ist ein Weg zum Verkauf: Ihre Phasen sind die Spalten dieses Boards.',
  },
};

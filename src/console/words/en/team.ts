/** What the pages of the team say. */
export const team = {
  records: {
    all: 'All',
    anybody: 'Anybody',
    owner: 'Owner',
    pipeline: 'Pipeline',
    search: 'Search',
    status: 'Status',
    statuses: { open: 'Open', won: 'Won', lost: 'Lost' },
    untitled: 'Untitled',
  },
  board: {
    askForPipeline: 'An admin of your account can create one.',
    carried: (stage: string, place: number, count: number) => `${stage}, ${place} of ${count}`,
    createPipeline: 'Create a pipeline',
    grabbed: (deal: string) =>
      `${deal} taken up. Arrow keys move it, space puts it down, escape leaves it where it was.`,
    handle: (deal: string) => `Move ${deal}`,
    keys: 'Space takes the deal up. Then arrow keys move it, and space puts it down.',
    left: 'Left where it was.',
    more: (count: string) => `${count} more`,
    moved: (deal: string, stage: string) => `${deal} moved to ${stage}.`,
    noPipeline: 'There is no pipeline yet',
    title: 'Board',
    whyPipeline: 'A pipeline is a way of selling: its stages are the columns of this board.',
  },
};

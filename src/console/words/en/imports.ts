/** What the page of imports says. */
export const imports = {
  imports: {
    about: 'Contacts, deals and products from a spreadsheet, saved as CSV.',
    becomes: (name: string) => `What ${name} becomes`,
    check: 'Check',
    checked: 'Checked',
    column: 'Column',
    columns: 'Columns of the file',
    dealProducts: 'Products of deals',
    did: (created: string, updated: string, refused: string) =>
      `${created} created, ${updated} changed, ${refused} refused.`,
    done: 'Imported',
    events: 'Notes and activities',
    field: 'Becomes',
    file: 'File',
    fileHint: 'The first row names the columns.',
    goOn: 'Go on',
    leaveOut: 'Left out',
    pause: 'Pause',
    records: 'What the rows are',
    refused: 'Rows that were refused',
    report: 'Download refused rows',
    row: 'Row',
    start: 'Import',
    title: 'Import',
    upsert: 'Change what is there already',
    upsertHint: 'By e-mail or phone; a contact’s first deal.',
    values: 'Values',
    why: 'Why',
    would: (created: string, updated: string, refused: string) =>
      `${created} would be created, ${updated} changed, ${refused} refused.`,
  },
};

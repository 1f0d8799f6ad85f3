/**
 * Hands over CSV as a file.
 * @param name of the file
 */
export function downloadCsv(name: string, csv: string): void {
  // By the mark spreadsheets know that it is UTF-8.
  const url = URL.createObjectURL(new Blob([`\ufeff${csv}`], { type: 'text/csv' }));
  Object.assign(document.createElement('a'), { href: url, download: name }).click();
  URL.revokeObjectURL(url);
}

/** What the page of imports says. */
export const imports = {
  imports: {
    about: 'Kontakte, Deals und Produkte aus einer Tabelle, gespeichert als CSV.',
    becomes: (name: string) => `Was aus ${name} wird`,
    check: 'Prüfen',
    checked: 'Geprüft',
    column: 'Spalte',
    columns: 'Spalten der Datei',
    dealProducts: 'Produkte von Deals',
    did: (created: string, updated: string, refused: string) =>
      `${created} angelegt, ${updated} geändert, ${refused} abgelehnt.`,
    done: 'Importiert',
    events: 'Notizen und Aktivitäten',
    field: 'Wird zu',
    file: 'Datei',
    fileHint: 'Die erste Zeile benennt die Spalten.',
    goOn: 'Weiter',
    leaveOut: 'Nicht importieren',
    pause: 'Anhalten',
    records: 'Was die Zeilen sind',
    refused: 'Abgelehnte Zeilen',
    report: 'Abgelehnte Zeilen herunterladen',
    row: 'Zeile',
    start: 'Importieren',
    title: 'Import',
    upsert: 'Vorhandenes ändern',
    upsertHint: 'Nach E-Mail oder Telefon; der erste Deal eines Kontakts.',
    values: 'Werte',
    why: 'Grund',
    would: (created: string, updated: string, refused: string) =>
      `${created} würden angelegt, ${updated} geändert, ${refused} abgelehnt.`,
  },
};

/** What the page of imports says. */
export const imports = {
  imports: {
    about: 'Kontakte, Deals und Produkte aus einer Tabelle, gespeichert als CSV.',
    becomes: (name: string) => `Was aus ${name} wird`,
    check: 'Prüfen',
    checked: 'Geprüft',
    column: 'Spalte',
    columns: 'Spalten der Datei',
    dayOrders: {
      'day-first': 'Tag zuerst, wie 31/12/2026',
      'month-first': 'Monat zuerst, wie 12/31/2026',
    },
    days: 'Schreibweise der Tage',
    dealProducts: 'Produkte von Deals',
    did: (created: string, updated: string, refused: string) =>
      `${created} angelegt, ${updated} geändert, ${refused} abgelehnt.`,
    done: 'Importiert',
    encoding: 'Kodierung',
    encodingHint: 'Die Datei ist kein UTF-8. Stimmen hier die Zeichen nicht, ist es eine andere.',
    events: 'Notizen und Aktivitäten',
    field: 'Wird zu',
    file: 'Datei',
    fileHint: 'Die erste Zeile benennt die Spalten.',
    goOn: 'Weiter',
    keepRest: 'Die übrigen Spalten als eigene Attribute übernehmen',
    leaveOut: 'Nicht importieren',
    pause: 'Anhalten',
    records: 'Was die Zeilen sind',
    refused: 'Abgelehnte Zeilen',
    report: 'Abgelehnte Zeilen herunterladen',
    row: 'Zeile',
    start: 'Importieren',
    title: 'Import',
    undo: 'Diesen Import zurücknehmen',
    upsert: 'Vorhandene Datensätze aktualisieren',
    upsertHint: 'Gefunden über E-Mail oder Telefon; bei Deals der erste Deal des Kontakts.',
    values: 'Werte',
    why: 'Grund',
    would: (created: string, updated: string, refused: string) =>
      `${created} würden angelegt, ${updated} geändert, ${refused} abgelehnt.`,
    wrong: {
      nothing: () => 'Noch wird aus keiner Spalte etwas.',
      unknown: (field: string) => `Aus einer Spalte kann nicht ${field} werden.`,
      repeated: (field: string) => `Aus zwei Spalten wird ${field}.`,
      whole: (field: string) =>
        `Entweder wird aus einer Spalte ${field}, oder aus anderen werden Schlüssel davon.`,
      stray: (field: string) =>
        `${field} gehört zu einem Produkt: Wählen Sie auch die Spalte, die es nennt.`,
    },
  },
};

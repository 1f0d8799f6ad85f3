export const admin = {
  account: {
    about: 'Was alle Personen und Integrationen teilen.',
    country: 'Land',
    countryHint: 'Telefonnummern ohne Ländervorwahl gelten als Nummern dieses Landes.',
    name: 'Name',
    none: 'Keine Angabe',
    timeZone: 'Zeitzone',
    timeZoneHint: 'In dieser Zeitzone werden Daten gezeigt und Monate gezählt; ohne Angabe in UTC.',
    title: 'Konto',
  },
};

/** What the pages of the settings say. */
export const admin = {
  account: {
    about: 'What all of its people and integrations share.',
    country: 'Country',
    countryHint: 'Phone numbers without a country code are read as numbers of this country.',
    name: 'Name',
    none: 'None',
    timeZone: 'Time zone',
    timeZoneHint: 'Dates are shown, and months counted, in this time zone; in UTC without one.',
    title: 'Account',
  },
};

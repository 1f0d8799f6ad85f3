export const admin = {
  account: {
    about: 'Lo que comparten todas sus personas e integraciones.',
    country: 'País',
    countryHint: 'Los teléfonos sin prefijo internacional se leen como números de este país.',
    name: 'Nombre',
    none: 'Ninguno',
    timeZone: 'Zona horaria',
    timeZoneHint: 'Las fechas se muestran y los meses se cuentan en esta zona; sin ella, en UTC.',
    title: 'Cuenta',
  },
};

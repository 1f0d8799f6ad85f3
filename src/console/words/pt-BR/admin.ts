export const admin = {
  account: {
    about: 'O que todas as pessoas e integrações compartilham.',
    country: 'País',
    countryHint: 'Telefones sem código de país são lidos como números deste país.',
    name: 'Nome',
    none: 'Nenhum',
    timeZone: 'Fuso horário',
    timeZoneHint: 'As datas são mostradas e os meses contados neste fuso; sem ele, em UTC.',
    title: 'Conta',
  },
};

/** What the page of imports says. */
export const imports = {
  imports: {
    about: 'Contatos, negócios e produtos de uma planilha, salva como CSV.',
    becomes: (name: string) => `O que ${name} se torna`,
    check: 'Verificar',
    checked: 'Verificado',
    column: 'Coluna',
    columns: 'Colunas do arquivo',
    dealProducts: 'Produtos de negócios',
    did: (created: string, updated: string, refused: string) =>
      `${created} criados, ${updated} alterados, ${refused} recusados.`,
    done: 'Importado',
    events: 'Notas e atividades',
    field: 'Torna-se',
    file: 'Arquivo',
    fileHint: 'A primeira linha dá os nomes das colunas.',
    goOn: 'Continuar',
    leaveOut: 'Não importar',
    pause: 'Pausar',
    records: 'O que são as linhas',
    refused: 'Linhas recusadas',
    report: 'Baixar linhas recusadas',
    row: 'Linha',
    start: 'Importar',
    title: 'Importar',
    upsert: 'Alterar o que já existe',
    upsertHint: 'Por e-mail ou telefone; o primeiro negócio de um contato.',
    values: 'Valores',
    why: 'Motivo',
    would: (created: string, updated: string, refused: string) =>
      `${created} seriam criados, ${updated} alterados, ${refused} recusados.`,
  },
};

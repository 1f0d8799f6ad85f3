/** Bugs that a history must show: each leaves out of the built service one line on which a promise rests. */

export interface Bug {
  readonly name: string;
  /** What is written instead of something in a module, beneath `dist/modules`. */
  readonly patches?: readonly {
    readonly module: string;
    readonly from: string;
    readonly to: string;
  }[];
  /** What is done to the database. */
  readonly sql?: string;
}

export const bugs: readonly Bug[] = [
  {
    name: 'stages are not locked while deals are moved',
    patches: [
      {
        module: 'resources/deals/positions/place.js',
        from: 'ORDER BY id FOR NO KEY UPDATE`',
        to: 'ORDER BY id`',
      },
    ],
  },
  {
    name: 'a merged record is not compared with the version that was read',
    patches: [
      {
        module: 'resources/kernel/write/version.js',
        from: `among ? sql\`AND \${version} = ANY(\${among}::text[])\` : empty`,
        to: 'empty',
      },
    ],
  },
  {
    name: 'an update does not lock what it compares',
    patches: [
      {
        module: 'resources/kernel/write/update_in_place.js',
        from: 'FOR NO KEY UPDATE OF t',
        to: '',
      },
    ],
  },
  {
    name: 'a total grows from what it was before its deal was locked',
    patches: [
      {
        module: 'resources/deal_products/total.js',
        from: 'total_deal_products_amount_in_cents = total_deal_products_amount_in_cents + change.amount',
        to: `total_deal_products_amount_in_cents = change.amount + (SELECT d.total_deal_products_amount_in_cents
          FROM deals AS d WHERE d.account_id = \${account} AND d.id = change.id)`,
      },
    ],
  },
  {
    name: 'the key of an answer is not unique',
    patches: [
      {
        module: 'resources/idempotency/answers.js',
        from: '|| shown.id]\n      FROM shown`',
        to: '|| shown.id]\n      FROM shown ON CONFLICT DO NOTHING`',
      },
      {
        module: 'resources/idempotency/answers.js',
        from: '::text[])`',
        to: '::text[]) ON CONFLICT DO NOTHING`',
      },
    ],
  },
  {
    name: 'the feed is read beyond its horizon',
    patches: [
      {
        module: 'resources/changes/statement.js',
        from: ` AND change_order < \${horizon.order}`,
        to: '',
      },
    ],
  },
  {
    name: 'the feed goes on behind a transaction of which it told a part',
    patches: [
      {
        module: 'resources/changes/statement.js',
        from: `(change_order, id) > (\${order}::bigint, \${id}::bigint)`,
        to: `(change_order > \${order}::bigint OR \${id}::bigint IS NULL)`,
      },
    ],
  },
  {
    name: 'the order of a change knows of no transaction but its own',
    sql: `CREATE OR REPLACE FUNCTION change_order() RETURNS bigint LANGUAGE sql VOLATILE AS
      'SELECT pg_current_xact_id()::text::bigint'`,
  },
];

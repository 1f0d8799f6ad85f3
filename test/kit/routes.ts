/** The nineteen endpoints that the REST interface began with, by which integrations know it. */
export interface Route {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** Beneath the account. */
  readonly path: string;
  readonly success: number;
}

export const routes: readonly Route[] = [
  { method: 'POST', path: '/contacts', success: 201 },
  { method: 'POST', path: '/contacts/search', success: 200 },
  { method: 'GET', path: '/contacts/:id', success: 200 },
  { method: 'POST', path: '/contacts/upsert', success: 201 },
  { method: 'DELETE', path: '/contacts/:id', success: 204 },
  { method: 'POST', path: '/deals', success: 201 },
  { method: 'POST', path: '/deals/search', success: 200 },
  { method: 'GET', path: '/deals/:id', success: 200 },
  { method: 'PUT', path: '/deals/:id', success: 200 },
  { method: 'POST', path: '/deals/upsert', success: 201 },
  { method: 'POST', path: '/deal_products', success: 201 },
  { method: 'GET', path: '/deal_products/:id', success: 200 },
  { method: 'PUT', path: '/deal_products/:id', success: 200 },
  { method: 'GET', path: '/products/:id', success: 200 },
  { method: 'POST', path: '/products', success: 201 },
  { method: 'POST', path: '/products/search', success: 200 },
  { method: 'PUT', path: '/products/:id', success: 200 },
  { method: 'POST', path: '/users/search', success: 200 },
  { method: 'POST', path: '/users', success: 201 },
];

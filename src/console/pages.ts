/** Every page of the console behind the sign-in, in the order in which the navigation shows them. */
import type { Page } from './page.ts';
import { DueCount } from './records/activities/due_count.tsx';

export const pages: readonly Page[] = [
  {
    path: '/dashboard',
    title: ({ dashboard }) => dashboard.title,
    menu: { group: 'sales', icon: 'dashboard' },
    load: async () => (await import('./pages/dashboard/page.tsx')).DashboardPage,
  },
  {
    path: '/today',
    title: ({ activities }) => activities.title,
    menu: { group: 'sales', icon: 'today', badge: DueCount },
    load: async () => (await import('./pages/today/page.tsx')).TodayPage,
  },
  {
    path: '/board',
    title: ({ board }) => board.title,
    menu: { group: 'sales', icon: 'board' },
    load: async () => (await import('./pages/board/page.tsx')).BoardPage,
  },
  {
    path: '/deals',
    title: ({ deals }) => deals.title,
    menu: { group: 'sales', icon: 'deals' },
    load: async () => (await import('./pages/deals/list_page.tsx')).DealsPage,
  },
  {
    path: '/deals/:id',
    title: ({ deals }) => deals.one,
    load: async () => (await import('./pages/deals/record_page.tsx')).DealPage,
  },
  {
    path: '/contacts',
    title: ({ contacts }) => contacts.title,
    menu: { group: 'sales', icon: 'contacts' },
    load: async () => (await import('./pages/contacts/list_page.tsx')).ContactsPage,
  },
  {
    path: '/contacts/duplicates',
    title: ({ duplicates }) => duplicates.title,
    load: async () => (await import('./pages/duplicates/page.tsx')).DuplicatesPage,
  },
  {
    path: '/contacts/:id',
    title: ({ contacts }) => contacts.one,
    load: async () => (await import('./pages/contacts/record_page.tsx')).ContactPage,
  },
  {
    path: '/products',
    title: ({ products }) => products.title,
    menu: { group: 'sales', icon: 'products' },
    load: async () => (await import('./pages/products/page.tsx')).ProductsPage,
  },
  {
    path: '/import',
    title: ({ imports }) => imports.title,
    menu: { group: 'sales', icon: 'imports' },
    load: async () => (await import('./pages/import/page.tsx')).ImportPage,
  },
  {
    path: '/tokens',
    title: ({ tokens }) => tokens.title,
    menu: { group: 'settings', icon: 'tokens' },
    load: async () => (await import('./pages/tokens/page.tsx')).TokensPage,
  },
  {
    path: '/tokens/new',
    title: ({ tokens }) => tokens.add,
    load: async () => (await import('./pages/tokens/new.tsx')).NewTokenPage,
  },
  {
    path: '/webhooks',
    title: ({ webhooks }) => webhooks.title,
    menu: { group: 'settings', icon: 'webhooks' },
    isForAdmins: true,
    load: async () => (await import('./pages/webhooks/page.tsx')).WebhooksPage,
  },
  {
    path: '/webhooks/new',
    title: ({ webhooks }) => webhooks.add,
    isForAdmins: true,
    load: async () => (await import('./pages/webhooks/new.tsx')).NewWebhookPage,
  },
  {
    path: '/webhooks/:id',
    title: ({ webhooks }) => webhooks.one,
    isForAdmins: true,
    load: async () => (await import('./pages/webhooks/webhook.tsx')).WebhookPage,
  },
  {
    path: '/users',
    title: ({ users }) => users.title,
    menu: { group: 'settings', icon: 'users' },
    load: async () => (await import('./pages/users/page.tsx')).UsersPage,
  },
  {
    path: '/users/:id',
    title: ({ users }) => users.one,
    isForAdmins: true,
    load: async () => (await import('./pages/users/user.tsx')).UserPage,
  },
  {
    path: '/pipelines',
    title: ({ pipelines }) => pipelines.title,
    menu: { group: 'settings', icon: 'pipelines' },
    load: async () => (await import('./pages/pipelines/page.tsx')).PipelinesPage,
  },
  {
    path: '/account',
    title: ({ account }) => account.title,
    menu: { group: 'settings', icon: 'account' },
    load: async () => (await import('./pages/account/page.tsx')).AccountPage,
  },
  {
    path: '/audit',
    title: ({ audit }) => audit.title,
    menu: { group: 'settings', icon: 'audit' },
    isForAdmins: true,
    load: async () => (await import('./pages/audit/page.tsx')).AuditPage,
  },
  {
    path: '/audit/undo',
    title: ({ undo }) => undo.title,
    isForAdmins: true,
    load: async () => (await import('./pages/undo/page.tsx')).UndoPage,
  },
  {
    path: '/keys',
    title: ({ keys }) => keys.title,
    load: async () => (await import('./pages/keys/page.tsx')).KeysPage,
  },
  {
    path: '/deleted',
    title: ({ deleted }) => deleted.title,
    menu: { group: 'settings', icon: 'remove' },
    isForAdmins: true,
    load: async () => (await import('./pages/deleted/page.tsx')).DeletedPage,
  },
  {
    path: '/profile',
    title: ({ profile }) => profile.title,
    load: async () => (await import('./pages/profile/page.tsx')).ProfilePage,
  },
];

/** Line drawings of 16 by 16, in the colour of the text around them. */
const paths = {
  account: 'M2.5 14V4l5-2v12M7.5 6h6v8M2 14h12M10 8.5h1M10 11h1M5 5.5v.01M5 8v.01M5 10.5v.01',
  add: 'M8 3v10M3 8h10',
  audit: 'M8 4.5V8l2.5 1.5M2.2 6.5A6 6 0 1 1 2 8M2 3.5v3h3',
  board: 'M2.5 3h3v10h-3zM6.5 3h3v6h-3zM10.5 3h3v8h-3z',
  close: 'M4 4l8 8M12 4l-8 8',
  columns: 'M2.5 3h11v10h-11zM6.2 3v10M9.8 3v10',
  contacts: 'M8 7.5a2.5 2.5 0 1 0 0-5 2.5 2.5 0 0 0 0 5zM3 13.5c.4-2.6 2.4-4 5-4s4.6 1.4 5 4',
  copy: 'M5.5 5.5h7v8h-7zM3.5 10.5v-8h7',
  dark: 'M13 9.6A5.5 5.5 0 1 1 6.4 3 4.5 4.5 0 0 0 13 9.6z',
  dashboard: 'M2.5 13.5h11M4.5 11V8M8 11V4M11.5 11V6',
  deals: 'M2.5 5.5h11v7.5h-11zM6 5.5V3h4v2.5M2.5 9h11',
  done: 'M3 8.5l3.2 3.2L13 5',
  down: 'M4 6l4 4 4-4',
  drag: 'M6 4v.01M6 8v.01M6 12v.01M10 4v.01M10 8v.01M10 12v.01',
  edit: 'M3 13l.6-2.6L10.5 3.5l2 2-6.9 6.9z',
  exports: 'M8 9.5v-7M5 5.5l3-3 3 3M2.5 11.5v2h11v-2',
  imports: 'M8 2.5v7M5 6.5l3 3 3-3M2.5 11.5v2h11v-2',
  light:
    'M8 10.8a2.8 2.8 0 1 0 0-5.6 2.8 2.8 0 0 0 0 5.6zM8 1.5v1.2M8 13.3v1.2M1.5 8h1.2M13.3 8h1.2M3.4 3.4l.8.8M11.8 11.8l.8.8M3.4 12.6l.8-.8M11.8 4.2l.8-.8',
  menu: 'M2.5 4.5h11M2.5 8h11M2.5 11.5h11',
  more: 'M3.5 7.7v.6M8 7.7v.6M12.5 7.7v.6',
  next: 'M6 4l4 4-4 4',
  out: 'M6.5 3h-4v10h4M9.5 5l3 3-3 3M12.5 8H6',
  pipelines: 'M2.5 3.5h11l-4 4.5v5l-3-1.5V8z',
  previous: 'M10 4L6 8l4 4',
  products: 'M8 2l5.5 3v6L8 14l-5.5-3V5zM2.5 5L8 8l5.5-3M8 8v6',
  remove: 'M3.5 4.5h9M6.5 4.5V3h3v1.5M5 4.5l.5 8.5h5l.5-8.5',
  search: 'M7 11.5a4.5 4.5 0 1 0 0-9 4.5 4.5 0 0 0 0 9zM10.5 10.5L14 14',
  today: 'M2.5 3.5h11v10h-11zM2.5 6.5h11M5.5 2v3M10.5 2v3M5.5 10l2 1.8 3-3.3',
  tokens: 'M10.2 8.8a3 3 0 1 0-3-3L3 10v3h3v-2h2V9.5zM11 5v.01',
  up: 'M4 10l4-4 4 4',
  users:
    'M6 7.5a2.2 2.2 0 1 0 0-4.4 2.2 2.2 0 0 0 0 4.4zM1.5 13c.3-2.3 2-3.5 4.5-3.5s4.2 1.2 4.5 3.5M10.5 3.3a2.2 2.2 0 0 1 0 4M12 9.8c1.5.4 2.4 1.5 2.5 3.2',
  webhooks: 'M2.5 8h6M6 4.5L9.5 8 6 11.5M9 2.5h4.5v11H9',
} as const;

export type IconName = keyof typeof paths;

/** For those who see; what it stands for is said in words beside it or by a label. */
export const Icon = ({ name }: { name: IconName }) => (
  <svg class="icon" viewBox="0 0 16 16" aria-hidden="true">
    <path d={paths[name]} />
  </svg>
);

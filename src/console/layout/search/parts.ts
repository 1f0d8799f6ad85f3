/** What the search needs once it is opened. */
export { creations } from './creations.tsx';
export { SearchDialog } from './dialog.tsx';

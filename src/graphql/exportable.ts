/** What can be exported, for REST, which sees no use case. */
export { exportable, type FormatName } from '../resources/exports/exportable.ts';

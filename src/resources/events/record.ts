import type { DerivedColumn } from '../../db/sql/shape.ts';
import { attributes } from '../kernel/fields/attributes.ts';
import {
  flag,
  longText,
  oneOf,
  optionalReference,
  required,
  text,
  timestamp,
} from '../kernel/fields/fields.ts';
import type { ParsedInput } from '../kernel/fields/input.ts';
import { plainVerbs } from '../kernel/participation.ts';
import { resource, unstored } from '../kernel/resource.ts';

/** Kinds that clients may write; the service writes all others. */
export const kinds = ['note', 'activity'] as const;

/**
 * Who wrote an event. Those from before events knew have it in the trail, where one look finds it: the entry is of the
 * event's month unless its moment was brought along. An event that came back has an entry of another's, which says
 * when it was created.
 */
const author_id: DerivedColumn = {
  kind: 'integer',
  value: `coalesce($row.created_by_id, (SELECT written.user_id FROM audit_entries AS written
    WHERE written.account_id = $account AND written.record_type = 'event' AND written.record_id = $row.id
      AND written.action = 'event.create' AND written.after -> 'created_at' IS NULL
      AND written.created_at >= $row.created_at LIMIT 1))`,
  from: [],
};

export const events = resource('events', {
  fields: {
    kind: required(oneOf(kinds)),
    title: text(),
    content: longText,
    scheduled_at: timestamp,
    done: unstored(flag),
    done_at: timestamp,
    auto_done: flag,
    custom_attributes: attributes,
    additional_attributes: attributes,
    // Both follow from the path that an event is written under.
    contact_id: unstored(optionalReference),
    deal_id: unstored(optionalReference),
  },
  // The service knows no files and no messages of other applications: the interface has fields for
  // them, which are always empty.
  expressions: {
    app_type: 'NULL::text',
    app_id: 'NULL::bigint',
    status: 'NULL::text',
    done: '($row.done_at IS NOT NULL)',
    send_now: 'NULL::boolean',
    files: "'[]'::json",
    files_events: "'[]'::json",
    invalid_files: 'NULL::json',
  },
  derived: { author_id },
  searchable: [
    'id',
    'deal_id',
    'contact_id',
    'kind',
    'title',
    'scheduled_at',
    'done_at',
    'created_at',
    'updated_at',
  ],
  unspecified: ['created_by_id'],
  followed: ['deal', 'contact'],
  mentions: { creator: { to: 'users', key: 'author_id' } },
  // That it fell due is noted in its row.
  versions: 'fields',
  takesPart: {
    changes: [...plainVerbs, 'due'],
    undo: { derived: ['deal_id'] },
    exports: true,
    erasure: true,
  },
});

export type EventFields = ParsedInput<typeof events.fields>;

/**
 * When an event was done, after a write. `done` says whether and `done_at` when; `done_at` alone says
 * both, so that a fetched event can be sent back with either of them changed.
 * @param before its `done_at` until now
 */
export function nextDoneAt(before: string | null, fields: EventFields, now: Date): string | null {
  const doneAt = fields.done_at === undefined ? before : fields.done_at;
  if (fields.done === undefined) return doneAt;
  return fields.done ? (doneAt ?? before ?? now.toISOString()) : null;
}

import { deletingWith } from '../kernel/batch/plain.ts';
import { batching } from '../kernel/batch/run.ts';
import { creates, deletes, updates, upserts } from '../kernel/batch/verb.ts';
import { createContacts, updateContacts, upsertContacts } from './bulk.ts';
import { deleteContact, removeContacts } from './delete.ts';
import { contacts } from './record.ts';
import { upsertContact } from './upsert.ts';
import { createContact, updateContact } from './write.ts';

export const batchContacts = batching(contacts, {
  create: { action: 'contact.create', one: creates(createContact), many: createContacts },
  upsert: {
    action: 'contact.create',
    one: upserts(upsertContact, ({ contact }) => contact),
    many: upsertContacts,
  },
  update: { action: 'contact.update', one: updates(updateContact), many: updateContacts },
  delete: {
    action: 'contact.delete',
    one: deletes(deleteContact),
    many: deletingWith(removeContacts),
  },
});

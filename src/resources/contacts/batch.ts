import { batching } from '../kernel/batch/run.ts';
import { creates, deletes, updates, upserts } from '../kernel/batch/verb.ts';
import { deleteContact } from './delete.ts';
import { contacts } from './record.ts';
import { upsertContact } from './upsert.ts';
import { createContact, updateContact } from './write.ts';

export const batchContacts = batching(contacts, {
  create: { action: 'contact.create', one: creates(createContact) },
  upsert: { action: 'contact.create', one: upserts(upsertContact, ({ contact }) => contact) },
  update: { action: 'contact.update', one: updates(updateContact) },
  delete: { action: 'contact.delete', one: deletes(deleteContact) },
});

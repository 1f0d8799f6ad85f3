import { describe, expect, test } from '@jest/globals';
import type { Contact, Deal } from '../kit/records.ts';
import { invalid, invalidFields } from '../kit/refusals.ts';
import { sharedService } from '../kit/service.ts';
import { contactBody, moment } from '../kit/shapes.ts';
import { type Input, unique, world } from '../kit/world.ts';

const service = await sharedService();
const w = await world(service);

let last = 0;
/** A phone number that nobody has. */
const newPhone = () => `+1415555${String(2000 + (last += 1))}`;

describe('contact upsert', () => {
  const upsert = (fields: Input) => w.rest.post<Contact>('/contacts/upsert', fields);

  test('finds by email', async () => {
    const { id } = await w.contact({ email: 'a1@example.com' });
    const answer = await upsert({ email: ' A1@Example.com ', full_name: 'Found' });
    expect([answer.status, answer.body.id, answer.body.full_name]).toEqual([200, id, 'Found']);
  });

  test('finds by phone', async () => {
    const phone = newPhone();
    const { id } = await w.contact({ phone });
    const answer = await upsert({ phone: phone.replace('+', '00'), full_name: 'Found' });
    expect([answer.status, answer.body.id]).toEqual([200, id]);
  });

  test('finds by phone when the email is nobody’s, and takes the email', async () => {
    const phone = newPhone();
    const { id } = await w.contact({ phone, email: 'old2@example.com' });
    const answer = await upsert({ phone, email: 'new2@example.com' });
    expect([answer.status, answer.body.id, answer.body.email]).toEqual([
      200,
      id,
      'new2@example.com',
    ]);
  });

  test('finds by email when the phone is nobody’s, and takes the phone', async () => {
    const phone = newPhone();
    const { id } = await w.contact({ email: 'a3@example.com' });
    const answer = await upsert({ email: 'a3@example.com', phone });
    expect([answer.status, answer.body.id, answer.body.phone]).toEqual([200, id, phone]);
  });

  test('finds the phone however it is written', async () => {
    const { id } = await w.contact({ phone: '+55 11 91234-5678' });
    for (const phone of [
      '\u2068+5511912345678\u2069',
      'tel:+55-11-91234-5678',
      'whatsapp:+5511912345678',
      '(+55) 11 91234-5678',
      '5511912345678',
    ]) {
      const answer = await upsert({ phone });
      expect([answer.status, answer.body.id, answer.body.phone]).toEqual([
        200,
        id,
        '+5511912345678',
      ]);
    }
  });

  test('a phone without any digit finds nobody, and several may have it', async () => {
    const { id } = await w.contact({ phone: 'N/A', email: 'nobody@example.com' });
    const answer = await upsert({ phone: 'N/A' });
    expect([answer.status, answer.body.phone]).toEqual([201, 'N/A']);
    expect((await w.contact({ phone: 'N/A' })).id).not.toBe(id);
    const changed = await w.rest.put<Contact>(`/contacts/${answer.body.id}`, { phone: '-' });
    expect([changed.status, changed.body.phone]).toEqual([200, '-']);
    const records = [
      { phone: 'N/A' },
      { phone: 'N/A' },
      { phone: 'N/A', email: 'nobody@example.com' },
    ];
    const batch = await w.rest.post<{ results: { status: number }[] }>('/contacts/batch', {
      operation: 'upsert',
      records,
    });
    expect(batch.body.results.map(({ status }) => status)).toEqual([201, 201, 200]);
  });

  describe('of a phone that former rules stored', () => {
    const stored = async (phone: string) => {
      const { id } = await w.contact();
      await service.database.query('UPDATE contacts SET phone = $2 WHERE id = $1', [id, phone]);
      return id;
    };

    test.each([
      ['(+55) 21 91234-5678', '(+55) 21 91234-5678', '+5521912345678'],
      ['\u2068+14155552699\u2069', '\u2068+14155552699\u2069', '+14155552699'],
      ['+52 1 33 1234 5678', '+5213312345678', '+523312345678'],
      ['+52 33 1234 5679', '+5213312345679', '+523312345679'],
      ['41999991234', '+41999991234', '41999991234'],
      ['+999 1234', '+999 1234', '+9991234'],
    ])('%j finds %j, and leaves no worse one there', async (phone, former, now) => {
      const id = await stored(former);
      const answer = await upsert({ phone });
      expect([answer.status, answer.body.id]).toEqual([200, id]);
      expect(answer.body.phone).toBe(now.startsWith('+') ? now : former);
      const deal = await w.rest.post<Deal>('/deals/upsert', {
        stage_id: w.stageIds[0],
        contact_attributes: { phone },
      });
      expect([deal.status, deal.body.contact_id]).toEqual([201, id]);
    });

    test('a batch finds it as well', async () => {
      const id = await stored('(+55) 31 91234-5678');
      const batch = await w.rest.post('/contacts/batch', {
        operation: 'upsert',
        records: [{ phone: '(+55) 31 91234-5678' }, { phone: '+55 31 91234 5678' }],
      });
      expect(batch.body).toMatchObject({
        results: [
          { status: 200, id },
          { status: 200, id },
        ],
      });
      expect((await w.fetchContact(id)).phone).toBe('+5531912345678');
    });

    test('422 when the e-mail is another contact’s', async () => {
      const contact_id = await stored('(+55) 41 91234-5678');
      await w.contact({ email: 'former@example.com' });
      const answer = await upsert({ email: 'former@example.com', phone: '(+55) 41 91234-5678' });
      expect(answer).toAnswer(422, invalid({ phone: 'has already been taken' }, { contact_id }));
    });
  });

  test('finds by both when they are one contact’s', async () => {
    const phone = newPhone();
    const { id } = await w.contact({ email: 'a4@example.com', phone });
    const answer = await upsert({ email: 'a4@example.com', phone });
    expect([answer.status, answer.body.id]).toEqual([200, id]);
  });

  test('422 when email and phone point at two contacts; neither changes', async () => {
    const phone = newPhone();
    const one = await w.contact({ email: 'a5@example.com' });
    const two = await w.contact({ phone });
    expect(await upsert({ email: 'a5@example.com', phone, full_name: 'x' })).toAnswer(
      422,
      invalid({ phone: 'has already been taken' }, { contact_id: two.id }),
    );
    expect(await w.fetchContact(one.id)).toMatchObject(one);
    expect(await w.fetchContact(two.id)).toMatchObject(two);
  });

  test('never finds by a part of an email, nor by wildcards', async () => {
    await w.contact({ email: 'axb@example.com' });
    for (const email of ['a_b@example.com', 'a%b@example.com', 'axb@example.co']) {
      expect((await upsert({ email })).status).toBe(201);
    }
  });

  test('creates when neither is given, each time', async () => {
    const [one, two] = [await upsert({ full_name: 'Same' }), await upsert({ full_name: 'Same' })];
    expect([one.status, two.status]).toEqual([201, 201]);
    expect(one.body.id).not.toBe(two.body.id);
  });

  test.each([{ email: '' }, { phone: '' }, { email: null, phone: ' ' }])(
    '%j matches nobody',
    async (blank) => {
      await w.contact();
      expect((await upsert(blank)).status).toBe(201);
    },
  );

  test('changes the fields sent, keeps the others, replaces custom_attributes whole', async () => {
    const contact = await w.contact({
      email: 'a6@example.com',
      phone: newPhone(),
      full_name: 'Kept',
      label_list: ['a'],
      custom_attributes: { a: 1, b: 2 },
    });
    const answer = await upsert({ email: 'a6@example.com', custom_attributes: { c: 3 } });
    expect(answer).toAnswer(200, { ...contact, custom_attributes: { c: 3 }, updated_at: moment });
  });

  test('null clears a field of the contact that is found', async () => {
    const contact = await w.contact({
      email: 'a7@example.com',
      phone: newPhone(),
      full_name: 'x',
      label_list: 'a',
    });
    const answer = await upsert({
      email: 'a7@example.com',
      phone: null,
      full_name: null,
      label_list: null,
    });
    expect(answer).toAnswer(200, {
      ...contact,
      phone: '',
      full_name: '',
      label_list: [],
      updated_at: moment,
    });
  });

  test('422 for everything that is wrong, together, with the conflict', async () => {
    const phone = newPhone();
    await w.contact({ email: 'a8@example.com' });
    const { id: contact_id } = await w.contact({ phone });
    const answer = await upsert({ email: 'a8@example.com', phone, label_list: 5, full_name: true });
    const fields = invalidFields('phone', 'label_list', 'full_name');
    expect(answer).toAnswer(422, { ...fields, conflict: { contact_id } });
  });

  test('does not find a contact of another account', async () => {
    const other = await world(service);
    const sent = { email: 'a9@example.com', phone: newPhone() };
    await other.contact(sent);
    expect(await upsert(sent)).toAnswer(201, contactBody(w.accountId, sent));
  });
});

describe('deal upsert', () => {
  const upsert = (fields: Input) =>
    w.rest.post<Deal>('/deals/upsert', { stage_id: w.stageIds[0], ...fields });

  test.each(['open', 'won', 'lost'])(
    'the existing deal is the one with the lowest id, though it is %s',
    async (status) => {
      const { id: contact_id } = await w.contact();
      const first = await w.deal({ contact_id, status });
      await w.deal({ contact_id, status: 'open' });
      const answer = await upsert({ contact_id, name: 'Chosen' });
      expect([answer.status, answer.body.id, answer.body.status]).toEqual([200, first.id, status]);
    },
  );

  test('keeps what is not sent, also the stage', async () => {
    const deal = await w.deal({
      name: 'Kept',
      stage_id: w.stageIds[1],
      custom_attributes: { a: 1 },
    });
    const sent = { contact_id: deal.contact_id, status: 'won' };
    const answer = await w.rest.post<Deal>('/deals/upsert', sent);
    expect(answer).toAnswer(200, { ...deal, status: 'won', won_at: moment, updated_at: moment });
  });

  test('a new deal has its creator and assignee', async () => {
    const answer = await upsert({ contact_id: (await w.contact()).id });
    const { created_by_id, deal_assignees } = await w.fetchDeal(answer.body.id);
    expect([created_by_id, deal_assignees.map((each) => each.user_id)]).toEqual([
      w.admin.id,
      [w.admin.id],
    ]);
  });

  test('422 on an update when the pipeline is not the one of the deal’s stage', async () => {
    const { contact_id } = await w.deal();
    const answer = await w.rest.post('/deals/upsert', {
      contact_id,
      pipeline_id: w.other.pipelineId,
    });
    expect(answer).toAnswer(422, invalidFields('pipeline_id'));
  });

  test('422 for a contact and a stage of another account', async () => {
    const other = await world(service);
    const body = { contact_id: (await other.contact()).id, stage_id: other.stageIds[0] };
    expect(await upsert(body)).toAnswer(
      422,
      invalid({ contact_id: 'must exist', stage_id: 'must exist' }),
    );
  });

  describe('with contact_attributes', () => {
    test('creates the contact, and the deal with it', async () => {
      const email = unique('fresh');
      const sent = {
        full_name: '  Fresh  Face ',
        email: email.toUpperCase(),
        label_list: 'a,b',
        custom_attributes: { a: 1 },
      };
      const answer = await upsert({ contact_attributes: sent, name: 'Whole' });
      expect(answer.status).toBe(201);
      const { deals, events, ...contact } = await w.fetchContact(answer.body.contact_id);
      expect(contact).toEqual(
        contactBody(w.accountId, {
          full_name: 'Fresh Face',
          email,
          label_list: ['a', 'b'],
          custom_attributes: { a: 1 },
        }),
      );
      expect(deals).toEqual([answer.body]);
      expect(events.map((event) => event.kind)).toEqual(['deal_opened']);
    });

    test('finds the contact by email, then phone, and does not change it', async () => {
      const [email, phone] = [unique('found'), newPhone()];
      const byEmail = await w.contact({ email, full_name: 'Before' });
      const byPhone = await w.contact({ phone, full_name: 'Before' });
      const first = await upsert({
        contact_attributes: { email, full_name: 'After', label_list: 'x' },
      });
      expect([first.status, first.body.contact_id]).toEqual([201, byEmail.id]);
      const second = await upsert({ contact_attributes: { phone, full_name: 'After' } });
      expect([second.status, second.body.contact_id]).toEqual([201, byPhone.id]);
      expect(await w.fetchContact(byEmail.id)).toMatchObject(byEmail);
      expect(await w.fetchContact(byPhone.id)).toMatchObject(byPhone);
    });

    test('goes on with the deal that the contact has', async () => {
      const email = unique('again');
      const first = await upsert({ contact_attributes: { email }, name: 'One' });
      const second = await upsert({ contact_attributes: { email }, name: 'Two' });
      expect([first.status, second.status]).toEqual([201, 200]);
      expect(second.body).toMatchObject({ id: first.body.id, name: 'Two' });
    });

    test('goes before contact_id', async () => {
      const email = unique('goes.before');
      const [named, found] = [await w.contact(), await w.contact({ email })];
      const theirs = await w.deal({ contact_id: named.id, name: 'Theirs' });
      const answer = await upsert({
        contact_id: named.id,
        contact_attributes: { email },
        name: 'Mine',
      });
      expect([answer.status, answer.body.contact_id]).toEqual([201, found.id]);
      expect((await w.fetchDeal(theirs.id)).name).toBe('Theirs');
    });

    test('of null counts as left out', async () => {
      const deal = await w.deal();
      const answer = await upsert({ contact_id: deal.contact_id, contact_attributes: null });
      expect([answer.status, answer.body.id]).toEqual([200, deal.id]);
    });

    test('of {} creates a contact without anything', async () => {
      const answer = await upsert({ contact_attributes: {} });
      expect(answer.status).toBe(201);
      expect(await w.fetchContact(answer.body.contact_id)).toMatchObject(contactBody(w.accountId));
    });

    test.each([
      [{}],
      [{ full_name: ' ', email: '', phone: null, label_list: [], custom_attributes: {}, id: '' }],
      [{ fullname: 'Ana' }],
    ])('%j says nothing: contact_id decides', async (contact_attributes) => {
      const { id } = await w.contact();
      const before = await w.count('contacts');
      const answer = await upsert({ contact_id: id, contact_attributes });
      expect([answer.status, answer.body.contact_id]).toEqual([201, id]);
      expect(await w.count('contacts')).toBe(before);
    });

    test('takes a contact as it was fetched', async () => {
      const { id } = await w.contact({ email: unique('fetched') });
      const fetched = await w.fetchContact(id);
      const answer = await upsert({ contact_attributes: fetched });
      expect([answer.status, answer.body.contact_id]).toEqual([201, id]);
      expect(answer.headers['x-ignored-fields']).toBeUndefined();
    });

    test('finds the contact by its id, before contact_id and e-mail, and leaves it as it is', async () => {
      const contact = await w.contact({ full_name: 'Found', email: unique('found') });
      const other = await w.contact({ email: unique('other') });
      const attributes = { id: String(contact.id), email: other.email, full_name: 'Changed' };
      const answer = await upsert({ contact_id: other.id, contact_attributes: attributes });
      expect([answer.status, answer.body.contact_id]).toEqual([201, contact.id]);
      expect(await w.fetchContact(contact.id)).toMatchObject({ ...contact });
    });

    test('422 for an id that is not of this account, or none', async () => {
      const theirs = await (await world(service)).contact();
      const before = await w.count('contacts');
      for (const id of [theirs.id, 0, 4_503_599_627_370_496]) {
        expect(await upsert({ contact_attributes: { id, email: unique('new') } })).toAnswer(
          422,
          invalid({ 'contact_attributes.id': 'must exist' }),
        );
      }
      expect(await upsert({ contact_attributes: { id: 'x', email: 'nope' } })).toAnswer(
        422,
        invalid({
          'contact_attributes.id': 'must be an integer',
          'contact_attributes.email': 'is invalid',
        }),
      );
      expect(await w.count('contacts')).toBe(before);
    });

    test('422 when email and phone point at two contacts', async () => {
      const [email, phone] = [unique('two'), newPhone()];
      await w.contact({ email });
      const { id: contact_id } = await w.contact({ phone });
      expect(await upsert({ contact_attributes: { email, phone } })).toAnswer(
        422,
        invalid({ 'contact_attributes.phone': 'has already been taken' }, { contact_id }),
      );
    });

    test('422 names nested fields by their path, beside the deal’s own', async () => {
      const answer = await upsert({
        status: 'x',
        stage_id: 999_999,
        contact_attributes: { email: 'nope', phone: [], label_list: {}, custom_attributes: [1] },
      });
      expect(answer).toAnswer(
        422,
        invalidFields(
          'status',
          'stage_id',
          'contact_attributes.email',
          'contact_attributes.phone',
          'contact_attributes.label_list',
          'contact_attributes.custom_attributes',
        ),
      );
    });

    test.each([['x'], [5], [[1]], [true], [[{}]]])('422 when it is %j', async (wrong) => {
      const answer = await upsert({ contact_attributes: wrong });
      expect(answer).toAnswer(422, invalid({ contact_attributes: 'must be an object' }));
    });

    test('422 when it is a number beyond a double', async () => {
      const answer = await w.rest.post(
        '/deals/upsert',
        `{"stage_id":${w.stageIds[0]},"contact_attributes":1e400}`,
      );
      expect(answer).toAnswer(422, invalid({ contact_attributes: 'must be an object' }));
    });

    test.each([
      ['a stage that does not exist', { stage_id: 999_999 }],
      ['a pipeline that is not the stage’s', { pipeline_id: 'other' }],
      ['an invalid status', { status: 'maybe' }],
      ['no stage', { stage_id: null }],
      ['custom_attributes that are no object', { custom_attributes: [1] }],
    ])(
      'a deal refused for %s leaves no new contact, event or audit entry behind',
      async (_, wrong) => {
        const before = await Promise.all(
          ['contacts', 'deals', 'events', 'audit_entries'].map((table) => w.count(table)),
        );
        const pipeline = 'pipeline_id' in wrong ? { pipeline_id: w.other.pipelineId } : wrong;
        const answer = await upsert({
          contact_attributes: { email: unique('refused') },
          ...pipeline,
        });
        expect(answer.status).toBe(422);
        const after = await Promise.all(
          ['contacts', 'deals', 'events', 'audit_entries'].map((table) => w.count(table)),
        );
        expect(after).toEqual(before);
      },
    );
  });
});

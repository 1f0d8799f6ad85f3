import { blank, coded } from '../../errors/codes.ts';
import type { Faults } from '../../errors/errors.ts';
import {
  asText,
  blankAsNull,
  emailField,
  flag,
  fullNameField,
  oneOf,
  required,
  text,
} from '../kernel/fields/fields.ts';
import type { Field, Input, ParsedInput } from '../kernel/fields/input.ts';
import { passwordLength } from '../kernel/fields/password.ts';
import { plainVerbs } from '../kernel/participation.ts';
import { resource, unstored } from '../kernel/resource.ts';

const roles = ['member', 'admin'] as const;

/** Those that the console speaks. */
export const languages = ['en', 'pt-BR', 'es', 'de'] as const;

const { min, max } = passwordLength;

const tooShort = coded('too_short', `is too short (minimum is ${min} characters)`);

/** Taken as typed: white space may be part of a password. */
const password: Field<string> = {
  ...text({
    max,
    verbatim: true,
    check: (value) => ([...value].length < min ? tooShort : undefined),
  }),
  limits: { minLength: min, maxLength: max },
  cleared: { message: blank },
};

/** Only compared with the password, which reports what is wrong with the text. */
const passwordConfirmation: Field<string> = {
  read: (value, report) => asText(value) ?? void report('must be a string'),
  cleared: { message: blank },
};

const url = (value: string): string | undefined => {
  if (value === '') return undefined;
  const parsed = URL.canParse(value) ? new URL(value) : undefined;
  return parsed && /^https?:$/.test(parsed.protocol) && parsed.hostname !== ''
    ? undefined
    : 'is invalid';
};

export const users = resource('users', {
  fields: {
    email: required(emailField),
    password: unstored(password),
    password_confirmation: unstored(passwordConfirmation),
    full_name: fullNameField,
    phone: blankAsNull(text({ normalise: (value) => value.trim() })),
    language: oneOf(languages),
    avatar_url: text({ normalise: (value) => value.trim(), check: url }),
    job_description: {
      ...text({
        max: 100,
        normalise: (value) => value.trim(),
        check: (value) => (value === '' ? blank : undefined),
      }),
      cleared: { value: 'other' },
    },
    webpush_notify_on_event_expired: flag,
    role: oneOf(roles),
  },
  expressions: {
    has_password: "($row.password_hash <> '')",
    notifications:
      "json_build_object('webpush_notify_on_event_expired', $row.webpush_notify_on_event_expired)",
  },
  versions: 'fields',
  searchable: [
    'id',
    'full_name',
    'email',
    'phone',
    'language',
    'job_description',
    'avatar_url',
    'created_at',
    'updated_at',
  ],
  unspecified: ['role'],
  foundBy: ['full_name', 'email'],
  followed: ['deals'],
  through: { deals: ['deal_assignees', 'deal'] },
  takesPart: { changes: plainVerbs, exports: true },
});

export type UserFields = ParsedInput<typeof users.fields>;

const { password: first, password_confirmation: again, ...profile } = users.fields;

/** The fields of a user who is invited, and so sets the password later. */
export const invited = profile;

/** The fields that set a password. */
export const newPassword = { password: first, password_confirmation: again };

/**
 * Reports what is needed to sign in and was not sent, and a password whose confirmation differs.
 * @param needed fields that the user cannot be let in without
 */
export function requireCredentials(
  input: Input,
  fields: Partial<UserFields>,
  faults: Faults,
  needed: readonly (keyof typeof users.fields)[] = ['email', 'password', 'password_confirmation'],
): void {
  for (const field of needed) {
    if (!fields[field] && !faults.has(field)) faults.add(field, blank);
  }
  requireSame(input, fields, faults);
}

/** Reports a new password whose confirmation is missing or differs. */
export function requireConfirmation(input: Input, fields: UserFields, faults: Faults): void {
  const isNew = input.password !== undefined && input.password !== null;
  if (isNew && !fields.password_confirmation && !faults.has('password_confirmation')) {
    faults.add('password_confirmation', blank);
  }
  requireSame(input, fields, faults);
}

function requireSame(
  input: Input,
  { password_confirmation: again }: Pick<UserFields, 'password_confirmation'>,
  faults: Faults,
) {
  if (again && again !== asText(input.password)) {
    faults.add('password_confirmation', coded('mismatch', "doesn't match Password"));
  }
}

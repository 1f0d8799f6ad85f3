/** Writes to somebody. */
export const EmailLink = ({ email }: { readonly email: string }) => (
  <a href={`mailto:${encodeURIComponent(email)}`}>{email}</a>
);

/** Calls somebody; the plus before a country is no part of what has to be escaped. */
export const PhoneLink = ({ phone }: { readonly phone: string }) => (
  <a href={`tel:${encodeURIComponent(phone).replace('%2B', '+')}`}>{phone}</a>
);

-- What PostgreSQL keeps as json it does not read: an escaped NUL or half of a surrogate pair is found
-- when a key is looked for, and fails the search of the whole account. So a key is looked for when
-- the row is written, and no such text can be stored, whoever writes it. In rows that hold one it
-- becomes U+FFFD, the character that stands for what cannot be read; the audit trail keeps what was
-- sent. A million contacts take some three seconds, in which their table is locked.
DO $$
DECLARE
  place record;
  -- Without escaped backslashes every backslash begins an escape; the marks occur in no JSON.
  mended constant text := $sql$
    replace(replace(
      regexp_replace(
        regexp_replace(
          replace(%1$I::text, E'\\\\', E'\x01'),
          '\\(u[dD][89abAB][[:xdigit:]]{2})\\(u[dD][c-fC-F][[:xdigit:]]{2})', E'\x02\\1\x02\\2', 'g'),
        '\\u(0000|[dD][89a-fA-F][[:xdigit:]]{2})', '\\ufffd', 'g'),
      E'\x02', E'\\'), E'\x01', E'\\\\')
  $sql$;
BEGIN
  FOR place IN
    SELECT * FROM (VALUES
      ('contacts', 'custom_attributes'), ('contacts', 'additional_attributes'),
      ('deals', 'custom_attributes'),
      ('products', 'custom_attributes'), ('products', 'additional_attributes'),
      ('events', 'custom_attributes'), ('events', 'additional_attributes')
    ) AS places (tab, col)
  LOOP
    EXECUTE format('ALTER TABLE %I DROP CONSTRAINT IF EXISTS %I', place.tab, place.tab || '_' || place.col || '_check');
    EXECUTE format(
      'ALTER TABLE %1$I ADD CONSTRAINT %3$I CHECK ((%2$I ->> %4$L) IS NULL OR (%2$I ->> %4$L) IS NOT NULL) NOT VALID',
      place.tab, place.col, place.tab || '_' || place.col || '_check', '');
    EXECUTE format(
      'UPDATE %2$I SET %1$I = (' || mended || ')::json WHERE %1$I::text ~* %3$L AND %1$I::text <> ' || mended,
      place.col, place.tab, '\\u(0000|d[89a-f])');
    EXECUTE format('ALTER TABLE %I VALIDATE CONSTRAINT %I', place.tab, place.tab || '_' || place.col || '_check');
  END LOOP;
END $$;

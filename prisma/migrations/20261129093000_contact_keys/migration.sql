-- What contacts that may be one person have in common, as hashes, so that the database finds them without comparing
-- all with all: src/resources/contacts/duplicate_keys.ts. Where hashes are equal, the service compares the texts.

-- An e-mail address without what mail services ignore: dots, a tag behind a plus sign, the other name of a service.
CREATE FUNCTION "mailbox_1"("email" text) RETURNS text LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS $$
DECLARE
  place text := split_part(lower(email), '@', 2);
BEGIN
  IF place = 'googlemail.com' THEN
    place := 'gmail.com';
  END IF;
  RETURN replace(split_part(split_part(lower(email), '@', 1), '+', 1), '.', '') || '@' || place;
END $$;

-- An address in another field than that for it. No more than this is looked at, since attributes may be long.
CREATE FUNCTION "other_email_1"("full_name" text, "phone" text, "custom_attributes" text) RETURNS text
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS $$
DECLARE
  content text := left(concat_ws(' ', full_name, phone, custom_attributes), 2000);
BEGIN
  IF strpos(content, '@') = 0 THEN
    RETURN NULL;
  END IF;
  RETURN substring(lower(content) FROM '[a-z0-9._+-]+@[a-z0-9-]+[.][a-z0-9.-]*[a-z]');
END $$;

CREATE FUNCTION "key_contact_1"() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  -- The triggers that fold rows run before this one.
  folded_name text := coalesce(split_part(NEW.folded, 'Q Q', 2), fold_text_1(NEW.full_name));
  words text[];
  word text;
  first_word text;
  last_word text;
  sum bigint := 0;
  digits text;
  place text;
BEGIN
  -- In any order, and without punctuation.
  words := string_to_array(translate(folded_name, ',.;:_-()"''', '          '), ' ');
  FOREACH word IN ARRAY words LOOP
    IF word <> '' THEN
      sum := sum + hashtext(word);
      first_word := coalesce(first_word, word);
      last_word := word;
    END IF;
  END LOOP;
  NEW.name_key := (sum % 2147483647)::integer;
  NEW.first_key := hashtext(first_word);
  NEW.last_key := hashtext(last_word);

  digits := regexp_replace(NEW.phone, '\D', '', 'g');
  NEW.phone_key := CASE WHEN length(digits) >= 8 THEN hashtext(right(digits, 8)) END;

  NEW.mailbox_key := NULL;
  NEW.start_key := NULL;
  NEW.end_key := NULL;
  IF NEW.email <> '' THEN
    NEW.mailbox_key := hashtext(mailbox_1(NEW.email));
    place := split_part(NEW.email, '@', 2);
    -- Everybody is at these.
    IF first_word IS NOT NULL AND NOT (place = ANY (ARRAY[
      'gmail.com', 'googlemail.com', 'hotmail.com', 'outlook.com', 'live.com', 'msn.com', 'yahoo.com', 'icloud.com', 'me.com',
      'aol.com', 'gmx.de', 'gmx.net', 'web.de', 't-online.de', 'mail.ru', 'yandex.ru', 'qq.com', '163.com', 'proton.me',
      'protonmail.com', 'hotmail.com.br', 'outlook.com.br', 'yahoo.com.br', 'uol.com.br', 'bol.com.br', 'terra.com.br', 'ig.com.br',
      'hotmail.es', 'yahoo.es', 'hotmail.fr', 'yahoo.fr', 'orange.fr', 'free.fr', 'yahoo.co.uk', 'hotmail.co.uk', 'libero.it'])) THEN
      NEW.start_key := hashtext(place || ' ' || least(left(first_word, 2), left(last_word, 2)) || ' ' || greatest(left(first_word, 2), left(last_word, 2)));
      NEW.end_key := hashtext(place || ' ' || least(right(first_word, 2), right(last_word, 2)) || ' ' || greatest(right(first_word, 2), right(last_word, 2)) || ' ');
    END IF;
  END IF;

  NEW.other_mailbox_key := hashtext(mailbox_1(NULLIF(other_email_1(NEW.full_name, NEW.phone, NEW.custom_attributes::text), NEW.email)));
  RETURN NEW;
END $$;

-- Rows that are there already get keys in the background, by setting their `name_key`.
-- Citus takes triggers that are declared to be safe, as one is that looks at nothing but its row.
SET LOCAL citus.enable_unsafe_triggers = on;
ALTER TABLE "contacts" ADD COLUMN "name_key" INTEGER, ADD COLUMN "first_key" INTEGER, ADD COLUMN "last_key" INTEGER, ADD COLUMN "phone_key" INTEGER,
  ADD COLUMN "mailbox_key" INTEGER, ADD COLUMN "other_mailbox_key" INTEGER, ADD COLUMN "start_key" INTEGER, ADD COLUMN "end_key" INTEGER;
CREATE TRIGGER "key_inserted_1" BEFORE INSERT ON "contacts" FOR EACH ROW EXECUTE FUNCTION "key_contact_1"();
CREATE TRIGGER "key_updated_1" BEFORE UPDATE ON "contacts" FOR EACH ROW
  WHEN (NEW."name_key" IS NULL OR NEW."folded" IS DISTINCT FROM OLD."folded"
    OR NEW."custom_attributes"::text IS DISTINCT FROM OLD."custom_attributes"::text) EXECUTE FUNCTION "key_contact_1"();

-- What contacts that may be one person have in common, in fewer keys than `key_contact_1` wrote: of an address that is
-- no private one the domain with the letters that the first and the last word of the name begin with, in place of two
-- keys of two letters each. src/resources/contacts/duplicate_keys.ts says what is compared.
CREATE FUNCTION "key_contact_2"() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  word text;
  first_word text;
  last_word text;
  sum bigint := 0;
  digits text := right(NEW.phone, 8);
  place text;
  other text := other_email_1(NEW.full_name, NEW.phone, NEW.custom_attributes::text);
BEGIN
  -- In any order, and without punctuation. The triggers that fold rows run before this one.
  FOREACH word IN ARRAY string_to_array(
    translate(coalesce(split_part(NEW.folded, 'Q Q', 2), fold_text_1(NEW.full_name)), ',.;:_-()"''', '          '), ' ') LOOP
    IF word <> '' THEN
      sum := sum + hashtext(word);
      first_word := coalesce(first_word, word);
      last_word := word;
    END IF;
  END LOOP;
  NEW.name_key := (sum % 2147483647)::integer;
  NEW.first_key := hashtext(first_word);
  NEW.last_key := hashtext(last_word);

  -- Nearly all phones are stored as plain digits.
  IF translate(digits, '0123456789', '') <> '' THEN
    digits := right(regexp_replace(NEW.phone, '\D', '', 'g'), 8);
  END IF;
  NEW.phone_key := CASE WHEN length(digits) = 8 THEN hashtext(digits) END;

  NEW.mailbox_key := NULL;
  NEW.colleague_key := 0;
  IF NEW.email <> '' THEN
    NEW.mailbox_key := hashtext(mailbox_1(NEW.email));
    place := split_part(NEW.email, '@', 2);
    -- Everybody is at these.
    IF first_word IS NOT NULL AND NOT (place = ANY (ARRAY[
      'gmail.com', 'googlemail.com', 'hotmail.com', 'outlook.com', 'live.com', 'msn.com', 'yahoo.com', 'icloud.com', 'me.com',
      'aol.com', 'gmx.de', 'gmx.net', 'web.de', 't-online.de', 'mail.ru', 'yandex.ru', 'qq.com', '163.com', 'proton.me',
      'protonmail.com', 'hotmail.com.br', 'outlook.com.br', 'yahoo.com.br', 'uol.com.br', 'bol.com.br', 'terra.com.br', 'ig.com.br',
      'hotmail.es', 'yahoo.es', 'hotmail.fr', 'yahoo.fr', 'orange.fr', 'free.fr', 'yahoo.co.uk', 'hotmail.co.uk', 'libero.it'])) THEN
      NEW.colleague_key := hashtext(place || ' ' || least(left(first_word, 1), left(last_word, 1)) || greatest(left(first_word, 1), left(last_word, 1)));
    END IF;
  END IF;

  NEW.other_mailbox_key := NULL;
  IF other <> NEW.email THEN
    NEW.other_mailbox_key := hashtext(mailbox_1(other));
  END IF;
  RETURN NEW;
END $$;

-- Rows that are there already get keys in the background, by setting their `colleague_key`.
-- Citus takes triggers that are declared to be safe, as one is that looks at nothing but its row.
SET LOCAL citus.enable_unsafe_triggers = on;
DROP TRIGGER "key_inserted_1" ON "contacts";
DROP TRIGGER "key_updated_1" ON "contacts";
DROP FUNCTION "key_contact_1"();
DROP INDEX "contacts_keyless_idx";
ALTER TABLE "contacts" ADD COLUMN "colleague_key" INTEGER, DROP COLUMN "start_key", DROP COLUMN "end_key";
CREATE TRIGGER "key_inserted_2" BEFORE INSERT ON "contacts" FOR EACH ROW EXECUTE FUNCTION "key_contact_2"();
CREATE TRIGGER "key_updated_2" BEFORE UPDATE ON "contacts" FOR EACH ROW
  WHEN (NEW."colleague_key" IS NULL OR NEW."folded" IS DISTINCT FROM OLD."folded"
    OR NEW."custom_attributes"::text IS DISTINCT FROM OLD."custom_attributes"::text) EXECUTE FUNCTION "key_contact_2"();

-- The letters of Han and Kana in a folded text. Trigrams need three letters, which many a name in these has not:
-- src/search/han_kana.ts asks for what has the letters themselves.
CREATE FUNCTION "han_kana_1"("folded" text) RETURNS text[] LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE COST 1000 AS $$
BEGIN
  RETURN regexp_split_to_array(regexp_replace(folded, '[^\u3040-\u9fff\U00020000-\U0003ffff]+', '', 'g'), '');
END $$;

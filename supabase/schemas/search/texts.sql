-- Text normalization for search, both in the index and in queries.

-- Functions without a search path are inlined, which a setting would prevent (decision 0033).

-- Characters to ignore, for a bracket expression: soft hyphens, zero-width characters, marks of Hebrew, Arabic and Thai, combining accents.
create function private.unwritten() returns text
  language sql immutable parallel safe set search_path = ''
as $$ select '\u00AD\u200B-\u200F\u2060\uFEFF\u0300-\u036F\u0591-\u05BD\u05BF\u05C1\u05C2\u0640\u064B-\u065F\u0670\u0E47-\u0E4E' $$;
-- Letters of scripts without spaces between words, for a bracket expression: Thai, Lao, Burmese, Khmer, kana and Chinese.
create function private.unspaced() returns text
  language sql immutable parallel safe set search_path = ''
as $$ select '\u0E00-\u0EFF\u1000-\u109F\u1780-\u17FF\u3005-\u3007\u3040-\u30FF\u31F0-\u31FF\u3400-\u9FFF\uF900-\uFAFF\U00020000-\U0003FFFF' $$;

/* Composes letters (NFKC, also for Arabic presentation forms and ligatures) and removes ignored characters, and line ends in words of scripts
   without spaces. ASCII stays as it is. */
create function private.normalized(content text) returns text
  language sql immutable strict parallel safe set search_path = ''
as $$
  select case when octet_length(content) = char_length(content) then content else
    regexp_replace(normalize(content, nfkc), '[' || private.unwritten() || ']' || case when content ~ ('[' || private.unspaced() || ']\s*\n')
      then format('|(?<=[%1$s])\s*\n\s*(?=[%1$s])', private.unspaced()) else '' end, '', 'g') end
$$;

/* Replaces words in scripts without spaces by pairs of neighbouring letters: "磁盘空间" becomes "磁盘 盘空 空间". */
create function private.in_pairs(content text) returns text
  language sql immutable strict parallel safe set search_path = ''
as $$
  select case when octet_length(content) = char_length(content) or content !~ ('[' || private.unspaced() || ']') then content else
    regexp_replace(regexp_replace(content,
      format('(?<=[%1$s])(?=[^%1$s])|(?<=[^%1$s])(?=[%1$s])', private.unspaced()), ' ', 'g'),
      format('(?<=[%1$s])([%1$s])(?=[%1$s])', private.unspaced()), '\1 \1', 'g') end
$$;

/* Returns identifiers as single words, in addition to their parts: "CAP_CHECKPOINT_RESTORE", "ssh_config.5", "a-b", "4.12.3"; of camelCase
   the parts, in addition to the whole. Null if there are none. */
create function private.joined_identifiers(content text) returns text
  language sql immutable strict parallel safe set search_path = ''
as $$
  select string_agg(case when m.found[1] ~ '[_.-]' then regexp_replace(m.found[1], '[_.-]', '', 'g')
    else regexp_replace(m.found[1], '([[:upper:]])', ' \1', 'g') end, ' ')
  from regexp_matches(content, '[[:alnum:]]+(?:[_.-][[:alnum:]]+)+|\m[[:lower:]]+(?:[[:upper:]][[:lower:]]+)+\M', 'g') as m (found)
  where m.found[1] ~ '[[:alpha:]]|[_.-].*[_.-]' and char_length(m.found[1]) <= 100
$$;

-- Returns the stemmer of a language. English for unknown languages, because it leaves most of their words unchanged.
create function private.text_configuration(language text) returns regconfig
  language sql immutable parallel safe set search_path = ''
as $$
  select case language
    when 'ar' then 'pg_catalog.arabic' when 'ca' then 'pg_catalog.catalan' when 'da' then 'pg_catalog.danish'
    when 'de' then 'pg_catalog.german' when 'el' then 'pg_catalog.greek' when 'en' then 'pg_catalog.english'
    when 'es' then 'pg_catalog.spanish' when 'eu' then 'pg_catalog.basque' when 'fi' then 'pg_catalog.finnish'
    when 'fr' then 'pg_catalog.french' when 'ga' then 'pg_catalog.irish' when 'hi' then 'pg_catalog.hindi'
    when 'hu' then 'pg_catalog.hungarian' when 'hy' then 'pg_catalog.armenian' when 'id' then 'pg_catalog.indonesian'
    when 'it' then 'pg_catalog.italian' when 'lt' then 'pg_catalog.lithuanian' when 'ne' then 'pg_catalog.nepali'
    when 'nl' then 'pg_catalog.dutch' when 'no' then 'pg_catalog.norwegian' when 'nb' then 'pg_catalog.norwegian'
    when 'nn' then 'pg_catalog.norwegian' when 'pt' then 'pg_catalog.portuguese' when 'ro' then 'pg_catalog.romanian'
    when 'ru' then 'pg_catalog.russian' when 'sr' then 'pg_catalog.serbian' when 'sv' then 'pg_catalog.swedish'
    when 'ta' then 'pg_catalog.tamil' when 'tr' then 'pg_catalog.turkish' when 'yi' then 'pg_catalog.yiddish'
    else case when language is null then 'pg_catalog.english' else 'pg_catalog.simple' end
  end::regconfig
$$;

-- Skips pure ASCII text.
create function private.without_accents(content text) returns text
  language sql immutable strict parallel safe set search_path = ''
as $$
  select case when octet_length(content) = char_length(content) then content else
    translate(private.normalized(content), 'àáâãäåçèéêëìíîïñòóôõöøùúûüýÿÀÁÂÃÄÅÇÈÉÊËÌÍÎÏÑÒÓÔÕÖØÙÚÛÜÝ٠١٢٣٤٥٦٧٨٩۰۱۲۳۴۵۶۷۸۹',
      'aaaaaaceeeeiiiinoooooouuuuyyAAAAAACEEEEIIIINOOOOOOUUUUY01234567890123456789') end
$$;

/* Folds case and accents: "café", "cafe" and "/var/cafe" share a word, "Straße" equals "Strasse". Longer than the input if it has an ß. */
create function private.plain_words(content text) returns text
  language sql immutable strict parallel safe
as $$ select replace(replace(private.plain_letters(content), 'ß', 'ss'), 'ẞ', 'SS') $$;

/* German "ae", "oe", "ue" can spell umlauts, whose dots are removed here: "Mueller" equals "Müller", but "neue" and "Quelle" stay. */
create function private.one_spelling(configuration regconfig, content text) returns text
  language sql immutable parallel safe
as $$
  select case when configuration = 'pg_catalog.german'::regconfig
    then regexp_replace(content, '([ao]|(?<![aeq])u)e', '\1', 'gi') else content end
$$;

-- Returns a text's stems with positions; whole identifiers come after the text.
create function private.stems_in(configuration regconfig, content text) returns tsvector
  language sql immutable parallel safe
as $$
  select to_tsvector(configuration, private.one_spelling(configuration, private.in_pairs(private.plain_words(content))
    || case when content ~ '[_.-]|[[:lower:]][[:upper:]]' then coalesce(' ' || private.plain_words(private.joined_identifiers(private.normalized(content))), '')
      else '' end))
$$;

-- Returns the stems of a word that plain_words and in_pairs have already been applied to.
create function private.stems_of_word(configuration regconfig, word text) returns text[]
  language sql immutable parallel safe
as $$ select tsvector_to_array(to_tsvector(configuration, private.one_spelling(configuration, word))) $$;

create function private.passage_vector(language text, heading text, content text) returns tsvector
  language sql immutable parallel safe set search_path = ''
as $$
  select setweight(private.stems_in(c.configuration, coalesce(heading, '')), 'B') || private.stems_in(c.configuration, content)
  from private.text_configuration(language) as c (configuration)
$$;

-- Returns all spellings of the words that people may type: for "Müller" also "muller" and "mueller", for "Straße" also "strasse".
create function private.spellings(words text) returns text
  language sql immutable strict parallel safe set search_path = ''
as $$
  select case when octet_length(words) = char_length(words) then words else concat_ws(' ', words, private.plain_words(words),
    private.plain_words(replace(replace(replace(lower(words), 'ä', 'ae'), 'ö', 'oe'), 'ü', 'ue'))) end
$$;

-- Returns a title's words in all spellings, however they are joined: "annual-report_2025.pdf" has four.
create function private.title_words(title text) returns tsvector
  language sql immutable strict parallel safe set search_path = ''
as $$ select to_tsvector('pg_catalog.simple', regexp_replace(private.spellings(title), '[^[:alnum:]]+', ' ', 'g')) $$;
-- Needed by everyone who can change a title, because the index computes them.
grant execute on function private.spellings, private.title_words to authenticated, service_role, api_key;

-- Matches titles that have all of these words or words beginning with them; null if there are none. Reads at most 300 characters.
create function private.title_query(words text) returns tsquery
  language sql immutable strict parallel safe set search_path = ''
as $$
  select to_tsquery('pg_catalog.simple', string_agg('(' || (
      select string_agg(distinct spelling || ':*', ' | ') from regexp_split_to_table(private.spellings(word), ' ') spelling
    ) || ')', ' & '))
  from regexp_split_to_table(lower(private.normalized(left(words, 300))), '[^[:alnum:]]+') word where word <> ''
$$;
grant execute on function private.title_query to authenticated, service_role, api_key;

/* Returns the first Markdown line with words as a plain title, at most 200 characters, cut between words; null without one. */
create function private.first_line(markdown text) returns text
  language sql immutable strict parallel safe set search_path = ''
as $$
  select case when char_length(words) <= 200 then words else regexp_replace(left(words, 199), '\s+\S*$', '') || '…' end
  from regexp_split_to_table(left(markdown, 20000), '[\r\n]+') with ordinality as lines (line, number)
  cross join lateral (
    -- First line prefixes, then links and images, then inline syntax, and finally backslash escapes.
    select trim(regexp_replace(regexp_replace(regexp_replace(regexp_replace(regexp_replace(
      line, '^(\s*(#{1,6}|[-*+]|\d+[.)]|>|\[[ xX]\])(\s+|$))+', ''), '\s#+\s*$', ''),
      '!?\[([^]]*)\]\([^)]*\)', '\1', 'g'), '(\*\*|__|~~|(?<!\\)[*`]|(?<![\w\\])_|(?<!\\)_(?!\w))', '', 'g'),
      '\\([[:punct:]])', '\1', 'g'))
  ) plain (words)
  where words ~ '\w'
  order by number limit 1
$$;
grant execute on function private.first_line to authenticated, api_key;

/* Keeps only letters without accents, digits and spaces. */
create function private.plain_letters(content text) returns text
  language sql immutable strict parallel safe
as $$ select regexp_replace(private.without_accents(content), '[^[:alnum:] ]', ' ', 'g') $$;
grant execute on function private.normalized, private.in_pairs, private.unwritten, private.unspaced, private.without_accents, private.plain_words,
  private.plain_letters to authenticated, service_role, api_key;

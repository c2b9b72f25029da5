-- Passages, pieces of a document with page and heading: what search finds and what comments and citations point to.

create table public.passages (
  -- Derived from version, content and occurrence (see replace_passages), so that reading a document again keeps the ids.
  id uuid primary key,
  library_id uuid not null,
  document_id uuid not null,
  version_id uuid not null references public.versions on delete cascade,
  ordinal integer not null check (ordinal >= 0),
  page integer check (page > 0),
  heading text check (char_length(heading) <= 500),
  -- The position in the extracted text in UTF-16 units; in a PDF, from the start of the page.
  start_offset integer not null check (start_offset >= 0),
  end_offset integer not null check (end_offset >= start_offset),
  content text not null check (char_length(content) between 1 and 8000),
  content_hash text not null, -- SHA-256 of the content
  -- Inline and uncompressed: a search reads the vectors of many rows and little else of them. 1,536 is the most that fit into a row.
  embedding extensions.vector storage plain not null check (extensions.vector_dims(embedding) <= 1536),
  embedding_model text not null check (char_length(embedding_model) between 1 and 80),
  created_at timestamptz not null default now(),
  -- ISO 639-1; null if unknown. Selects the stemmer.
  language text check (language ~ '^[a-z]{2}$'),
  -- Without an index: candidates come from passage_terms, and this has the positions for phrases.
  search tsvector not null generated always as (private.passage_vector(language, heading, content)) stored,
  reading_id integer not null default 0,
  unique (id, document_id),
  foreign key (document_id, library_id) references public.documents (id, library_id) on delete cascade,
  constraint passages_version_id_ordinal_key unique (version_id, reading_id, ordinal) deferrable initially deferred
);

create index passages_document_id_idx on public.passages (document_id, ordinal);
create index passages_library_id_idx on public.passages (library_id, embedding_model);
-- Compared with pgvector's defaults, m and ef_construction take a third less time per passage and find as many of the ten nearest (95 %).
-- An index holds vectors of one length; these are the lengths of most models. For other lengths a search scans the library's vectors.
do $$
declare
  dimensions integer;
begin
  for dimensions in select unnest(array[256, 384, 512, 768, 1024, 1536]) loop
    execute format('create index passages_embedding_%1$s_idx on public.passages
      using hnsw ((embedding::extensions.vector(%1$s)) extensions.vector_cosine_ops) with (m = 12, ef_construction = 40) where extensions.vector_dims(embedding) = %1$s', dimensions);
  end loop;
end
$$;
create index passages_created_at_idx on public.passages (library_id, created_at);

-- written only by replace_passages
grant select on public.passages to authenticated;
grant select (id, library_id, document_id, version_id, reading_id, ordinal, page, heading, start_offset, end_offset, content)
  on public.passages to api_key;

/* A stand-in without a language model: stems and letter trigrams, hashed with a sign into 384 dimensions, length 1. Any change needs
   another model name than 'lexical-384-v1', because only vectors of one model are comparable. md5 is the same on every version and machine,
   unlike hashtext(). Looping over an array takes half the time of grouping rows. */
create function private.lexical_embedding(content text) returns extensions.vector
  language plpgsql immutable strict parallel safe set search_path = ''
as $$
declare
  dimensions double precision[] := array_fill(0::double precision, array[384]);
  stem record;
  marked text;
  hash integer;
  place integer;
begin
  for stem in
    select lexeme, char_length(lexeme) as letters, 1 + ln(cardinality(positions)) as weight
    from unnest(to_tsvector('pg_catalog.english', content))
  loop
    hash := ('x' || left(md5(stem.lexeme), 8))::bit(32)::integer;
    place := (hash & 2147483647) % 384 + 1;
    dimensions[place] := dimensions[place] + stem.weight * sign(hash);
    marked := '^' || stem.lexeme || '$';
    for i in 1..stem.letters loop
      hash := ('x' || left(md5(substr(marked, i, 3)), 8))::bit(32)::integer;
      place := (hash & 2147483647) % 384 + 1;
      dimensions[place] := dimensions[place] + stem.weight / (1 + stem.letters) * sign(hash);
    end loop;
  end loop;
  return extensions.l2_normalize(dimensions::extensions.vector(384));
end
$$;
grant execute on function private.lexical_embedding to service_role;

-- Normalizes spaces, punctuation and case, which differ between two readings of the same text.
create function private.letters(content text) returns text
  language sql immutable strict parallel safe set search_path = ''
as $$ select lower(regexp_replace(content, '[^[:alnum:]]+', '', 'g')) $$;
grant execute on function private.letters to authenticated, api_key;

-- Why a definer: users can't see runs; every policy on passages asks which are unfinished.
create function private.unfinished_readings() returns setof integer
  language sql stable security definer set search_path = '' rows 2
as $$ select r.reading_id from private.indexing_runs r where r.reading_id is not null $$;

/* Returns the nearest passages, without trashed documents and hidden passages. Dynamic SQL, because a vector index needs a literal length. */
create function private.nearest_passages(library uuid, model text, near extensions.vector, most integer, included uuid[], excluded uuid)
  returns table (passage_id uuid, document_id uuid, similarity double precision)
  language plpgsql stable set search_path = '' rows 60
as $$
begin
  return query execute format(
    'select p.id, p.document_id, 1 - (p.embedding::extensions.vector(%1$s) operator(extensions.<=>) $3) from public.passages p
    where extensions.vector_dims(p.embedding) = %1$s and p.library_id = $1 and p.embedding_model = $2
      and ($5 is null or p.document_id = any ($5)) and ($6 is null or p.document_id <> $6)
      and exists (select from private.passage_terms t where t.passage_id = p.id)
    order by p.embedding::extensions.vector(%1$s) operator(extensions.<=>) $3 limit $4', extensions.vector_dims(near))
    using library, model, near, most, included, excluded;
end
$$;

create policy "members see passages of documents they see" on public.passages for select to authenticated, api_key
  using (library_id in (select private.library_ids('guest')) and reading_id <> all (array(select private.unfinished_readings()))
    and exists (select from public.documents d where d.id = document_id));
grant execute on function private.unfinished_readings to authenticated, service_role, api_key;

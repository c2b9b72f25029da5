-- Filters of searches and shelves.

create function private.is_time_zone(name text) returns boolean
  language plpgsql stable set search_path = ''
as $$
begin
  perform now() at time zone name;
  return true;
exception when invalid_parameter_value then
  return false;
end
$$;
grant execute on function private.is_time_zone to authenticated, service_role;

/* Returns the first and last day of "2026-03-05", "2026-03", "2026" or a range ("2019..2021", "2019.."); null for other texts. */
create function private.day_range(dated text) returns table (first date, last date)
  language sql immutable strict set search_path = ''
as $$
  select case when pg_input_is_valid(first, 'date') then first::date end,
    case when pg_input_is_valid(last, 'date') then (last::date
      + case char_length(parts.finish) when 4 then interval '1 year' when 7 then interval '1 month' else interval '1 day' end
      - interval '1 day')::date end
  from (select split_part(dated, '..', 1) as start, split_part(dated, '..', case when position('..' in dated) > 0 then 2 else 1 end) as finish) parts,
    lateral (select parts.start || substr('0000-01-01', char_length(parts.start) + 1), parts.finish || substr('0000-01-01', char_length(parts.finish) + 1))
      days (first, last)
  where dated ~ '^(\d{4}(-\d\d){0,2})?(\.\.(\d{4}(-\d\d){0,2})?)?$'
$$;

/* Converts the app's filter `saved` (src/domain/document-filter.ts), with days in `zone` or UTC, to that of private.searched_documents.
   Ignores unknown keys. */
create function private.passage_filters(filters jsonb) returns jsonb
  language sql stable set search_path = ''
as $$
  select case when not filters ? 'saved' then filters else filters - '{saved,zone}'::text[] || jsonb_strip_nulls(jsonb_build_object(
    'collection', case when pg_input_is_valid(saved ->> 'collection', 'uuid') then saved ->> 'collection' end,
    'tags', case when saved ->> 'tag' is not null then jsonb_build_array(saved ->> 'tag') end,
    'kinds', case when saved ->> 'kind' is not null then jsonb_build_array(saved ->> 'kind') end,
    'people', case when saved ->> 'person' is not null then jsonb_build_array(saved ->> 'person') end,
    'since', case saved ->> 'since'
      when 'week' then (date_trunc('day', now(), 'UTC') - interval '7 days')::text
      when 'month' then (date_trunc('day', now(), 'UTC') - interval '30 days')::text
      when 'year' then (date_trunc('day', now(), 'UTC') - interval '365 days')::text
      else ((select first from private.day_range(saved ->> 'since'))::timestamp at time zone zone)::text end,
    'until', (((select last from private.day_range(saved ->> 'until')) + 1)::timestamp at time zone zone - interval '1 millisecond')::text,
    'media_types', to_jsonb(private.type_patterns(saved ->> 'type')),
    'title', saved ->> 'title',
    'author', saved ->> 'author',
    'fields', case when jsonb_typeof(saved -> 'fields') = 'array' then saved -> 'fields' end,
    'dated_from', (select first from private.day_range(saved ->> 'dated')),
    'dated_to', (select last from private.day_range(saved ->> 'dated')),
    'verified_from', case saved ->> 'verified' when 'valid' then today end,
    'verified_to', case saved ->> 'verified' when 'due' then today + private.verification_due_days() end,
    'state', saved ->> 'state')) end
  from (select filters -> 'saved' as saved,
    coalesce(case when private.is_time_zone(filters ->> 'zone') then filters ->> 'zone' end, 'UTC') as zone) given,
    lateral (select (now() at time zone zone)::date as today) clock
$$;

/* Returns the documents to search; null for the whole library. For guests, those in granted collections. filters: see search_passages. */
create function private.searched_documents(library uuid, filters jsonb, is_member boolean) returns uuid[]
  language sql stable set search_path = ''
as $$
  select case when filters <> '{}' or not is_member then array(
    with recursive within (id) as (
      select (filters ->> 'collection')::uuid
      union
      select c.id from public.collections c join within w on c.parent_id = w.id
    ), title (prefixes) as (
      select private.title_query(filters ->> 'title')
    ), types (patterns) as (
      select array_agg(pattern) from jsonb_array_elements_text(filters -> 'media_types') pattern
    ), author (pattern) as (
      select '%' || regexp_replace(left(filters ->> 'author', 300), '([\\%_])', '\\\1', 'g') || '%'
    )
    select d.id from public.documents d, title, types, author
    where d.library_id = library and d.deleted_at is null
      and (is_member or d.collection_id in (select private.granted_collections()))
      and (filters ->> 'collection' is null or d.collection_id in (select id from within))
      and (filters ->> 'place' is null or d.collection_id = (filters ->> 'place')::uuid)
      and (filters -> 'fields' is null or d.id in (select private.documents_with_fields(library, filters -> 'fields')))
      and (filters -> 'kinds' is null or filters -> 'kinds' ? d.kind::text)
      and (filters -> 'people' is null or filters -> 'people' ? d.created_by::text)
      and (filters -> 'tags' is null or exists (
        select from public.document_tags t where t.document_id = d.id and filters -> 'tags' ? t.tag_id::text))
      and (filters ->> 'document' is null or d.id = (filters ->> 'document')::uuid)
      and (filters -> 'documents' is null or filters -> 'documents' ? d.id::text)
      and (filters ->> 'since' is null or d.created_at >= (filters ->> 'since')::timestamptz)
      and (filters ->> 'until' is null or d.created_at <= (filters ->> 'until')::timestamptz)
      and (title.prefixes is null or private.title_words(d.title) @@ title.prefixes)
      and (types.patterns is null or d.mime_type like any (types.patterns))
      and (author.pattern is null or d.author ilike author.pattern)
      and (filters ->> 'dated_from' is null or d.dated >= (filters ->> 'dated_from')::date)
      and (filters ->> 'dated_to' is null or d.dated <= (filters ->> 'dated_to')::date)
      and (filters ->> 'verified_from' is null or d.verified_until >= (filters ->> 'verified_from')::date)
      and (filters ->> 'verified_to' is null or d.verified_until <= (filters ->> 'verified_to')::date)
      and (filters ->> 'state' is null or d.state::text = filters ->> 'state'
        or filters ->> 'state' = 'proposed' and d.proposed_version_id is not null)
  ) end
$$;
comment on function private.searched_documents is $$The documents that a search looks at; null when that is all of the library.
A guest sees those of the collections granted to them.

filters: { collection, place, fields, kinds, tags, people, document, documents, since, until, title, media_types, author, dated_from,
dated_to, verified_from, verified_to, state }. Ids and arrays of ids; a collection includes those inside it, a place does not. fields:
conditions, see documents_with_fields. since and until: timestamps between which a document was added. title: words that words of the title begin with.
media_types: patterns of LIKE. author: a part of what the document says of its author. dated_from, dated_to: the first and the last day
of the date that it bears. verified_from, verified_to: the same of the day until which it is verified. state: `failed` for what could not
be read, `proposed` for what has a change that waits to be approved.$$;

/* Returns the media types of a file type as LIKE patterns; null for an unknown type. Also used by search. */
create function private.type_patterns(type text) returns text[]
  language sql immutable set search_path = ''
as $$
  select case type
    when 'pdf' then array['application/pdf%']
    when 'word' then array['application/vnd.openxmlformats-officedocument.wordprocessingml.document%', 'application/msword%']
    when 'document' then array['application/vnd.oasis.opendocument.text%', 'application/rtf%']
    when 'presentation' then array['application/vnd.openxmlformats-officedocument.presentationml.presentation%',
      'application/vnd.oasis.opendocument.presentation%', 'application/vnd.ms-powerpoint%']
    when 'spreadsheet' then array['application/vnd.openxmlformats-officedocument.spreadsheetml.sheet%',
      'application/vnd.oasis.opendocument.spreadsheet%', 'application/vnd.ms-excel%']
    when 'book' then array['application/epub+zip%']
    when 'mail' then array['message/rfc822%']
    when 'web' then array['multipart/related%', 'text/html%']
    when 'markdown' then array['text/markdown%']
    when 'text' then array['text/plain%']
    when 'table' then array['text/csv%']
    when 'image' then array['image/png%', 'image/jpeg%', 'image/webp%', 'image/gif%', 'image/avif%', 'image/tiff%', 'image/heic%']
    when 'video' then array['video/mp4%', 'video/webm%']
    when 'audio' then array['audio/mpeg%', 'audio/mp4%', 'audio/ogg%', 'audio/wav%', 'audio/flac%']
    when 'other' then array['application/octet-stream%'] end
$$;

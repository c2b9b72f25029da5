-- The text of scans: a browser recognizes it in the pictures of pages, and it is indexed like all other text. Only in libraries
-- whose owners have turned it on

-- The languages in which text is recognized (ISO 639-1); none means that it is turned off.
alter table public.libraries add column recognition_languages text[] not null default '{}'
  check (recognition_languages <@ array['en', 'de'] and array_position(recognition_languages, null) is null
    and cardinality(recognition_languages) <= 2);
grant update (recognition_languages) on public.libraries to authenticated;

-- The pages that hold pictures and no text, as the function `ingest` found them; an image is page 1. Null until it has looked.
alter table public.versions add column pages_without_text integer[];

-- A page that was looked at; without lines when there was no text in the picture.
create table public.recognized_pages (
  version_id uuid not null references public.versions on delete cascade,
  page integer not null check (page > 0),
  -- [{ text, size, y }] from the top to the bottom: the height of the letters, and the distance from the page's lower edge, both
  -- in points.
  lines jsonb not null,
  created_by uuid references public.profiles on delete set null,
  created_at timestamptz not null default now(),
  primary key (version_id, page)
);
create index recognized_pages_created_by_idx on public.recognized_pages (created_by);
alter table public.recognized_pages enable row level security;
grant select on public.recognized_pages to authenticated; -- written by store_recognized_page alone
grant all on public.recognized_pages to service_role;
create policy "members see recognized pages of versions they see" on public.recognized_pages for select to authenticated
  using (exists (select from public.versions v where v.id = version_id));

-- Whether this is a list of lines as the table describes it, so that `ingest` can rely on them.
create function private.are_lines(lines jsonb) returns boolean
  language sql immutable set search_path = ''
as $$
  select case when jsonb_typeof(lines) = 'array' then jsonb_array_length(lines) <= 1000 and octet_length(lines::text) <= 65536
    and not exists (
      select from jsonb_array_elements(lines) line
      where case
        when jsonb_typeof(line -> 'text') = 'string' and jsonb_typeof(line -> 'size') = 'number' and jsonb_typeof(line -> 'y') = 'number'
        then char_length(line ->> 'text') not between 1 and 2000 or (line ->> 'size')::numeric not between 0 and 10000
          or (line ->> 'y')::numeric not between -100000 and 100000
        else true end)
    else false end
$$;

/* Stores the lines that were recognized on a page of a document's current version, in the place of those that were stored for it
   before. `read_again` has them indexed. Refused: to those who may not edit the document (42501), in a library that has not
   turned recognition on (42501), for a page that has text of its own and for lines in another form (23514).
   Runs as its owner because nobody may write the table directly. */
create function public.store_recognized_page(version uuid, page integer, lines jsonb) returns void
  language plpgsql security definer set search_path = ''
as $$
declare
  document public.documents;
begin
  select d.* into document from public.documents d
    where d.current_version_id = version and d.deleted_at is null
      and (d.library_id in (select private.library_ids('editor'))
        or d.collection_id in (select private.granted_collections('editor')))
    for no key update;
  if not found then
    raise exception 'The document is not there, has a newer version, or you may not edit it.' using errcode = '42501';
  end if;
  if not exists (select from public.libraries l where l.id = document.library_id and l.recognition_languages <> '{}') then
    raise exception 'Text recognition is turned off in this library.'
      using errcode = '42501', hint = 'An owner of this library can turn on text recognition in its settings.';
  end if;
  if not exists (select from public.versions v where v.id = version and page = any (v.pages_without_text)) then
    raise exception 'Page % is not one of the document''s pages without text.', page using errcode = '23514';
  end if;
  if private.are_lines(lines) is not true then
    raise exception 'The lines of a page are [{ "text", "size", "y" }]: at most 1,000 lines of 2,000 characters, 64 KB together.'
      using errcode = '23514';
  end if;
  insert into public.recognized_pages as r (version_id, page, lines, created_by) values (version, page, lines, (select auth.uid()))
    on conflict on constraint recognized_pages_pkey do update set lines = excluded.lines, created_by = excluded.created_by, created_at = now();
end
$$;
grant execute on function public.store_recognized_page to authenticated;

/* Whether a passage begins on a page whose text was recognized; a passage of an image has no page. */
create function private.is_recognized(version uuid, page integer) returns boolean
  language sql stable set search_path = ''
as $$ select exists (select from public.recognized_pages r where r.version_id = version and r.page = coalesce(is_recognized.page, 1)) $$;

/* A column that PostgREST computes: select=*,recognized. */
create function public.recognized(passage public.passages) returns boolean
  language sql stable set search_path = ''
as $$ select private.is_recognized(passage.version_id, passage.page) $$;
grant execute on function private.is_recognized, public.recognized to authenticated;

-- `ingest` has not looked for pages without text so far. Images have nothing else, and of PDFs those that failed for it are known.
update public.versions v set pages_without_text = '{1}' where v.mime_type like 'image/%';
select private.queue_documents(array_agg(d.id), 9::smallint, false) from public.documents d
  where d.state = 'failed' and d.state_message like 'This PDF holds pictures of pages but no text.%' having count(*) > 0;


-- What a client may write is judged column by column: times are the database's, texts and numbers have limits that hold for
-- every writer, and nothing reaches further than its author may

/* When a document went into the trash counts for its purge, so nobody chooses it: a person says that it is there, the database
   since when. Whoever has no person (the service role) may set it, but to a time that is one. */
create function private.guard_deletion() returns trigger
  language plpgsql set search_path = ''
as $$
begin
  if (select auth.uid()) is not null and new.deleted_at is not null then
    new.deleted_at := coalesce(old.deleted_at, now());
  end if;
  return new;
end
$$;
create trigger guard_deletion before update of deleted_at on public.documents
  for each row execute function private.guard_deletion();

create or replace function private.guard_comment() returns trigger
  language plpgsql set search_path = ''
as $$
begin
  if new.body is distinct from old.body then
    if (select auth.uid()) is not null and old.created_by is distinct from (select auth.uid()) then
      raise exception 'Only its author can change the words of a comment.' using errcode = '42501';
    end if;
    new.edited_at := now();
  end if;
  if (new.resolved_at is null) <> (old.resolved_at is null) then
    new.resolved_at := case when new.resolved_at is not null then now() end;
    new.resolved_by := case when new.resolved_at is not null then (select auth.uid()) end;
  else
    new.resolved_at := old.resolved_at;
  end if;
  return new;
end
$$;

create function private.guard_mention() returns trigger
  language plpgsql set search_path = ''
as $$
begin
  if (select auth.uid()) is not null and new.read_at is not null then
    new.read_at := coalesce(old.read_at, now());
  end if;
  return new;
end
$$;
create trigger guard_mention before update of read_at on public.mentions
  for each row execute function private.guard_mention();

-- A revoked link stays revoked: whoever kept its address is not let in again by an editor who clears a column.
create function private.guard_share_link() returns trigger
  language plpgsql set search_path = ''
as $$
begin
  if (select auth.uid()) is null then return new; end if;
  if old.revoked_at is not null and (new.expires_at is distinct from old.expires_at or new.revoked_at is null) then
    raise exception 'A revoked link cannot be made to work again.' using errcode = '23514', hint = 'Make a new link.';
  end if;
  if new.revoked_at is not null then
    new.revoked_at := coalesce(old.revoked_at, now());
  end if;
  return new;
end
$$;
create trigger guard_share_link before update of expires_at, revoked_at on public.share_links
  for each row execute function private.guard_share_link();

/* Whoever is granted a collection sees all that is nested in it. Granting is the owners': so is moving a collection to where
   people see it who did not see it before. */
create function private.guard_collection_audience() returns trigger
  language plpgsql security definer set search_path = ''
as $$
begin
  if (select auth.uid()) is null or new.library_id in (select private.library_ids('owner')) then return new; end if;
  if exists (
    with recursive above (id, parent_id) as (
      select c.id, c.parent_id from public.collections c where c.id = new.parent_id
      union
      select c.id, c.parent_id from public.collections c join above a on c.id = a.parent_id
    ), former (id, parent_id) as (
      select old.id, old.parent_id
      union
      select c.id, c.parent_id from public.collections c join former f on c.id = f.parent_id
    )
    select from public.collection_grants g where g.collection_id in (select id from above)
      and not exists (
        select from public.collection_grants had
        where had.collection_id in (select id from former) and had.user_id = g.user_id and had.role >= g.role)
  ) then
    raise exception 'Only an owner can move a collection to where guests see it.' using errcode = '42501',
      hint = 'Ask an owner of the library to move it, or move single documents.';
  end if;
  return new;
end
$$;
create trigger guard_collection_audience before update of parent_id on public.collections
  for each row when (new.parent_id is not null and new.parent_id is distinct from old.parent_id)
  execute function private.guard_collection_audience();

/* Limits that were counted without the spaces at both ends, and those that were missing. What is there already is cut to them
   first, so that no row stands in the way: triggers are off meanwhile, because nobody has changed anything. */
set local session_replication_role = replica;
update public.libraries set name = trim(name) where char_length(name) > 120;
update public.collections set name = trim(name) where char_length(name) > 120;
update public.collections set position = 0 where position in ('Infinity', '-Infinity', 'NaN');
update public.documents set title = trim(title) where char_length(title) > 300;
update public.documents set deleted_at = now() where not isfinite(deleted_at);
update public.comments set body = trim(body) where char_length(body) > 10000;
update public.comments set resolved_at = now() where not isfinite(resolved_at);
update public.tags set name = trim(name) where char_length(name) > 60;
update public.saved_searches set name = trim(name) where char_length(name) > 120;
update public.conversations set title = trim(title) where char_length(title) > 300;
update public.questions set question = trim(question) where char_length(question) > 1000;
update public.mentions set read_at = now() where not isfinite(read_at);
update public.share_links set expires_at = null where expires_at = 'infinity';
update public.share_links set expires_at = created_at where expires_at = '-infinity';
update public.share_links set revoked_at = now() where not isfinite(revoked_at);
update public.versions set mime_type = left(mime_type, 255) where char_length(mime_type) > 255;
update public.profiles set avatar_path = null
  where avatar_path !~ ('^' || id || '/[A-Za-z0-9_-][A-Za-z0-9._-]*$') or char_length(avatar_path) > 300;
update public.profiles set display_name = 'Reader' where trim(display_name) = '';
-- An address that no browser could open was never fetched. What it was is kept in the message.
update public.documents set url = 'https://link.invalid/', state = 'failed', progress = 0,
  state_message = left('The address is none of a web page: ' || url, 500)
where url !~* '^https?://(\[[0-9a-f:.]+\]|[^][:cntrl:][:space:]/?#@:%\\<>^`{|}"[]+)(:(6553[0-5]|655[0-2][0-9]|65[0-4][0-9]{2}|6[0-4][0-9]{3}|[1-5]?[0-9]{1,4}))?([/?#][^[:cntrl:][:space:]]*)?$';
set local session_replication_role = origin;

alter table public.libraries add check (char_length(name) <= 120);
alter table public.collections add check (char_length(name) <= 120),
  add check (position > '-Infinity' and position < 'Infinity');
alter table public.documents add check (char_length(title) <= 300), add check (isfinite(deleted_at)),
  -- What a browser can open: a host, no name or password before it, no spaces or control characters. src/features/documents/
  -- web-address.ts says the same to whoever types one.
  add constraint documents_url_is_web_address check (
    url ~* '^https?://(\[[0-9a-f:.]+\]|[^][:cntrl:][:space:]/?#@:%\\<>^`{|}"[]+)(:(6553[0-5]|655[0-2][0-9]|65[0-4][0-9]{2}|6[0-4][0-9]{3}|[1-5]?[0-9]{1,4}))?([/?#][^[:cntrl:][:space:]]*)?$');
alter table public.versions add check (char_length(mime_type) <= 255),
  add check (storage_path !~ '(^|/)\.{1,2}(/|$)' and char_length(storage_path) <= 1024) not valid;
alter table public.comments add check (char_length(body) <= 10000), add check (isfinite(resolved_at));
alter table public.tags add check (char_length(name) <= 60);
alter table public.saved_searches add check (char_length(name) <= 120);
alter table public.conversations add check (char_length(title) <= 300);
alter table public.questions add check (char_length(question) <= 1000);
alter table public.mentions add check (isfinite(read_at));
alter table public.share_links add check (isfinite(expires_at)), add check (isfinite(revoked_at));
alter table public.profiles add check (trim(display_name) <> ''),
  -- One name in the person's own folder, so that it stays there in an address, too.
  add check (avatar_path ~ ('^' || id || '/[A-Za-z0-9_-][A-Za-z0-9._-]*$'));

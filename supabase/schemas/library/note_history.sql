-- Collaborative history of notes (Yjs).

-- A note's collaborative history: a Yjs state and later updates. Others read versions; if changes need approval, it's the writers' version.
create table public.note_states (
  document_id uuid primary key,
  library_id uuid not null,
  -- Identifies the history: updates of another one can't be applied. The app derives it from the first state.
  generation uuid not null,
  format smallint not null, -- of the Yjs documents: an older app would delete unknown nodes
  state bytea not null check (octet_length(state) <= 16777216),
  version_id uuid references public.versions on delete set null, -- the latest version that the history contains
  -- Updates are numbered without gaps, under a lock on this row, so having read update n means having read all before it.
  state_update bigint not null default 0, -- the last update that the state contains
  last_update bigint not null default 0,
  updated_at timestamptz not null default now(),
  update_bytes bigint not null default 0, -- of the stored updates
  foreign key (document_id, library_id) references public.documents (id, library_id) on delete cascade
);

create index note_states_library_id_idx on public.note_states (library_id);
create index note_states_version_id_idx on public.note_states (version_id);

-- The rest is written by the functions below, which number updates and delete only those that the state contains.
grant select, insert (document_id, library_id, generation, format, state, version_id) on public.note_states to authenticated;

create function private.may_write_note(note public.documents) returns boolean
  language sql stable set search_path = ''
as $$
  select note.kind = 'note' and note.deleted_at is null and (note.library_id in (select private.library_ids('editor'))
    or note.collection_id in (select private.granted_collections('editor')))
$$;
grant execute on function private.may_write_note to authenticated;

/* Whether everyone in the library may read a note's draft: not where changes need approval, and not guests with read access. */
create function private.shows_draft(note public.documents) returns boolean
  language sql stable set search_path = ''
as $$
  select note.kind = 'note' and note.deleted_at is null and note.proposed_version_id is null
    and note.library_id in (select private.library_ids())
    and not exists (select from private.approvals_in(note.collection_id))
$$;
grant execute on function private.shows_draft to authenticated;

-- A history that lacks the current version can contain a change that was sent back: only writers read it.
create policy "writers see states of notes, readers those of drafts" on public.note_states for select to authenticated
  using (library_id in (select private.library_ids('editor')) or exists (
    select from public.documents d where d.id = document_id and (d.collection_id in (select private.granted_collections('editor'))
      or d.current_version_id = version_id and private.shows_draft(d))));
create policy "writers begin the history of a note" on public.note_states for insert to authenticated
  with check (exists (
    select from public.documents d
    where d.id = document_id and coalesce(d.proposed_version_id, d.current_version_id) = version_id and private.may_write_note(d)));

create table public.note_updates (
  document_id uuid not null references public.note_states on delete cascade,
  number bigint not null,
  update bytea not null check (octet_length(update) <= 4194304),
  created_by uuid default auth.uid() references public.profiles on delete set null,
  created_at timestamptz not null default now(),
  primary key (document_id, number)
);

create index note_updates_created_by_idx on public.note_updates (created_by);

-- Written only by the functions below, which number updates and delete only those that the state contains.
grant select on public.note_updates to authenticated;

create policy "who sees the state of a note sees its updates" on public.note_updates for select to authenticated
  using (exists (select from public.note_states s where s.document_id = note_updates.document_id));

/* Returns the note if the caller may write in it. */
create function private.note_to_write(note uuid) returns public.documents
  language plpgsql stable set search_path = ''
as $$
declare
  found_note public.documents;
begin
  select * into found_note from public.documents d where d.id = note and private.may_write_note(d);
  if not found then
    perform private.refuse('note_denied');
  end if;
  return found_note;
end
$$;
grant execute on function private.note_to_write to authenticated;

/* Returns a note's history after what the caller has. `generation` is null if there is none; `is_shared` says whether readers may follow
   the draft. Bytes are base64. Applies the caller's rights. */
create function public.read_note_state(note uuid, generation uuid default null, after bigint default 0) returns jsonb
  language sql stable set search_path = ''
as $$
  select jsonb_build_object(
    'generation', s.generation, 'format', s.format, 'version', s.version_id, 'is_shared', private.shows_draft(d),
    'current_version', coalesce(d.proposed_version_id, d.current_version_id),
    'state_update', coalesce(s.state_update, 0), 'last_update', coalesce(s.last_update, 0), 'updated_at', s.updated_at,
    'state', case when not known.all_until_state then translate(encode(s.state, 'base64'), E'\n', '') end,
    'updates', coalesce((
      select jsonb_agg(translate(encode(u.update, 'base64'), E'\n', '') order by u.number) from public.note_updates u
      where u.document_id = s.document_id and u.number > case when known.all_until_state then after else s.state_update end
    ), '[]'))
  from public.documents d
  left join public.note_states s on s.document_id = d.id
  cross join lateral (
    select coalesce(s.generation = read_note_state.generation and after >= s.state_update, false) as all_until_state
  ) known
  where d.id = note
$$;
grant execute on function public.read_note_state to authenticated;

/* Starts a note's history from its latest version. Does nothing if another one exists: read that one instead. */
create function public.start_note_state(note uuid, generation uuid, format integer, state text, version uuid) returns void
  language plpgsql set search_path = ''
as $$
declare
  written public.documents := private.note_to_write(note);
begin
  if coalesce(written.proposed_version_id, written.current_version_id) is distinct from version then
    perform private.refuse('note_saved_since');
  end if;
  insert into public.note_states (document_id, library_id, generation, format, state, version_id)
    values (note, written.library_id, start_note_state.generation, start_note_state.format, decode(start_note_state.state, 'base64'), version)
    on conflict do nothing;
end
$$;
grant execute on function public.start_note_state to authenticated;

create function private.add_note_update(note uuid, generation uuid, update text) returns bigint
  language plpgsql set search_path = ''
as $$
declare
  state public.note_states;
  bytes constant bytea := decode(add_note_update.update, 'base64');
begin
  update public.note_states s set
    last_update = s.last_update + 1, update_bytes = s.update_bytes + octet_length(bytes), updated_at = now()
    where s.document_id = note and s.generation = add_note_update.generation returning * into state;
  if not found then
    perform private.refuse('note_history_replaced');
  end if;
  -- Another person's text keeps a blank note from being discarded.
  update public.documents d set updated_at = now()
    where d.id = note and d.created_by is distinct from (select auth.uid()) and private.is_blank_note(d);
  if state.last_update - state.state_update > 10000 then
    perform private.refuse('note_changes_too_many');
  elsif state.update_bytes > 33554432 then
    perform private.refuse('note_changes_too_large');
  end if;
  insert into public.note_updates (document_id, number, update)
    values (note, state.last_update, bytes);
  return state.last_update;
end
$$;

/* Stores an update and returns its number. Idempotent.
   Why a definer: updates are numbered without gaps, so clients can't insert them. */
create function public.add_note_update(note uuid, generation uuid, update text) returns bigint
  language plpgsql security definer set search_path = ''
as $$
begin
  perform private.note_to_write(note);
  return private.add_note_update(note, generation, update);
end
$$;
grant execute on function public.add_note_update to authenticated;

/* Merges a version saved elsewhere. Only the first of concurrent writers succeeds, or the text would be inserted several times.
   Why a definer: clients can't insert updates. */
create function public.merge_note_version(note uuid, generation uuid, from_version uuid, to_version uuid, update text) returns bigint
  language plpgsql security definer set search_path = ''
as $$
declare
  written public.documents := private.note_to_write(note);
begin
  update public.note_states s set version_id = to_version
    where s.document_id = note and s.generation = merge_note_version.generation
      and s.version_id is not distinct from from_version
      and coalesce(written.proposed_version_id, written.current_version_id) = to_version;
  if not found then
    perform private.refuse('note_version_merged');
  end if;
  return private.add_note_update(note, generation, update);
end
$$;
grant execute on function public.merge_note_version to authenticated;

/* Saves the text as the note's next version if it differs, and replaces the state and updates up to `last_update`. Fails unless the history
   contains the latest version, `based_on`.
   Why a definer: only updates that the state contains may be deleted. */
create function public.save_note_state(note uuid, generation uuid, body text, based_on uuid, state text, last_update bigint)
  returns public.versions
  language plpgsql security definer set search_path = ''
as $$
declare
  written public.documents;
  saved public.versions;
begin
  perform private.note_to_write(note);
  select * into written from public.documents d where d.id = note for no key update;
  perform from public.note_states s
    where s.document_id = note and s.generation = save_note_state.generation and s.version_id = based_on
      and save_note_state.last_update between s.state_update and s.last_update
    for update;
  if not found or coalesce(written.proposed_version_id, written.current_version_id) is distinct from based_on then
    perform private.refuse('note_saved_meanwhile');
  end if;
  select * into saved from public.versions v where v.id = based_on;
  if saved.body is distinct from save_note_state.body then
    insert into public.versions (library_id, document_id, body, mime_type, size_bytes)
      values (written.library_id, note, save_note_state.body, 'text/markdown', 0) returning * into saved;
  end if;
  delete from public.note_updates u where u.document_id = note and u.number <= save_note_state.last_update;
  update public.note_states s set state = decode(save_note_state.state, 'base64'), state_update = save_note_state.last_update,
    version_id = saved.id, updated_at = now(),
    update_bytes = (select coalesce(sum(octet_length(u.update)), 0) from public.note_updates u where u.document_id = note)
    where s.document_id = note;
  return saved;
end
$$;
grant execute on function public.save_note_state to authenticated;

-- A note's private channel, `note:<id>`: keystrokes, cursors and names. Writers send, and everyone who sees the draft receives.
create function private.may_use_note_channel(topic text, writes boolean) returns boolean
  language sql stable set search_path = ''
as $$
  select exists (
    select from public.documents d join public.library_channels c on c.library_id = d.library_id
    where d.id = substring(topic from '^note:([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}):')::uuid
      and topic = format('note:%s:%s', d.id, c.epoch) and (private.may_write_note(d) or not writes and private.shows_draft(d)))
$$;
grant execute on function private.may_use_note_channel to authenticated, service_role;

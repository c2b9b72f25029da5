-- Rooms in which signed-in users write messages. Members of a room read them, and get each new one over Realtime: the database
-- sends it to the private channel "room:<id of the room>".

-- The Data API doesn't expose this schema, so clients can't call its functions.
create schema if not exists private;
grant usage on schema private to authenticated;

create table public.rooms (
  id uuid primary key default gen_random_uuid(),
  name text not null check (char_length(name) between 1 and 100),
  created_by uuid not null default auth.uid() references auth.users on delete cascade,
  created_at timestamptz not null default now()
);
comment on table public.rooms is 'Every signed-in user sees all rooms, and may join them.';
create index rooms_created_by_idx on public.rooms (created_by);

create table public.room_members (
  room_id uuid not null references public.rooms on delete cascade,
  user_id uuid not null default auth.uid() references auth.users on delete cascade,
  joined_at timestamptz not null default now(),
  primary key (room_id, user_id)
);
comment on table public.room_members is 'Who has joined a room, and so reads and writes its messages.';
create index room_members_user_id_idx on public.room_members (user_id);

create table public.messages (
  id uuid primary key default gen_random_uuid(),
  room_id uuid not null references public.rooms on delete cascade,
  author_id uuid not null default auth.uid() references auth.users on delete cascade,
  body text not null check (char_length(body) between 1 and 4000),
  created_at timestamptz not null default now()
);
comment on table public.messages is 'Members of the room read them. Each change is sent to the channel of the room.';
-- The messages of a room, newest first.
create index messages_room_id_created_at_idx on public.messages (room_id, created_at desc);
create index messages_author_id_idx on public.messages (author_id);

-- Policies on room_members can't read room_members themselves; this function reads it with its owner's rights.
create function private.joined_rooms() returns setof uuid
language sql stable security definer set search_path = ''
as $$ select room_id from public.room_members where user_id = (select auth.uid()) $$;
comment on function private.joined_rooms() is 'The rooms of the user who sent the request.';
revoke execute on function private.joined_rooms() from public, anon;
grant execute on function private.joined_rooms() to authenticated;

create function private.join_created_room() returns trigger
language plpgsql security definer set search_path = ''
as $$
begin
  insert into public.room_members (room_id, user_id) values (new.id, new.created_by);
  return null;
end
$$;
revoke execute on function private.join_created_room() from public;
create trigger join_created_room after insert on public.rooms
  for each row execute function private.join_created_room();

create function private.broadcast_message() returns trigger
language plpgsql security definer set search_path = ''
as $$
begin
  perform realtime.broadcast_changes(
    'room:' || coalesce(new.room_id, old.room_id), tg_op, tg_op, tg_table_name, tg_table_schema, new, old);
  return null;
end
$$;
revoke execute on function private.broadcast_message() from public;
create trigger broadcast_message after insert or update or delete on public.messages
  for each row execute function private.broadcast_message();

alter table public.rooms enable row level security;
alter table public.room_members enable row level security;
alter table public.messages enable row level security;
revoke all on public.rooms, public.room_members, public.messages from anon, authenticated;
grant select, insert, delete on public.rooms, public.room_members to authenticated;
grant select, insert, update (body), delete on public.messages to authenticated;

create policy "users see all rooms" on public.rooms for select to authenticated using (true);
create policy "users open rooms" on public.rooms for insert to authenticated
  with check (created_by = (select auth.uid()));
create policy "users close rooms that they opened" on public.rooms for delete to authenticated
  using (created_by = (select auth.uid()));

create policy "members see who is in their rooms" on public.room_members for select to authenticated
  using (user_id = (select auth.uid()) or room_id in (select private.joined_rooms()));
create policy "users join rooms" on public.room_members for insert to authenticated
  with check (user_id = (select auth.uid()));
create policy "users leave rooms" on public.room_members for delete to authenticated
  using (user_id = (select auth.uid()));

create policy "members read the messages of their rooms" on public.messages for select to authenticated
  using (room_id in (select private.joined_rooms()));
create policy "members write in their rooms" on public.messages for insert to authenticated
  with check (author_id = (select auth.uid()) and room_id in (select private.joined_rooms()));
create policy "authors change their messages" on public.messages for update to authenticated
  using (author_id = (select auth.uid()))
  with check (author_id = (select auth.uid()));
create policy "authors delete their messages" on public.messages for delete to authenticated
  using (author_id = (select auth.uid()));

-- These policies are checked when someone joins a private channel.
create policy "members listen to their rooms" on realtime.messages for select to authenticated
  using (
    extension in ('broadcast', 'presence')
    and (select realtime.topic()) in (select 'room:' || room_id from private.joined_rooms() as room_id));
create policy "members show that they are there, or type" on realtime.messages for insert to authenticated
  with check (
    extension in ('broadcast', 'presence')
    and (select realtime.topic()) in (select 'room:' || room_id from private.joined_rooms() as room_id));

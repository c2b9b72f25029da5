-- A person as the others see them; made with the account, deleted with it
create table public.profiles (
  id uuid primary key references auth.users on delete cascade,
  display_name text not null check (char_length(display_name) between 1 and 80),
  -- A path in the bucket `avatars`, which begins with the person's own id.
  avatar_path text check (avatar_path like id::text || '/%' and char_length(avatar_path) <= 300),
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);
alter table public.profiles enable row level security;
grant select, update (display_name, avatar_path) on public.profiles to authenticated;
grant all on public.profiles to service_role;

create trigger touch_updated_at before update on public.profiles
  for each row execute function private.touch_updated_at();

create policy "people change their own profile" on public.profiles for update to authenticated
  using (id = (select auth.uid())) with check (id = (select auth.uid()));

create function private.create_profile() returns trigger
  language plpgsql security definer set search_path = ''
as $$
declare
  called text := trim(coalesce(
    new.raw_user_meta_data ->> 'display_name', new.raw_user_meta_data ->> 'full_name', new.raw_user_meta_data ->> 'name', ''));
begin
  if called = '' then called := split_part(coalesce(new.email, ''), '@', 1); end if;
  if called = '' then called := 'Reader'; end if;
  insert into public.profiles (id, display_name) values (new.id, left(called, 80));
  return new;
end
$$;
create trigger create_profile after insert on auth.users
  for each row execute function private.create_profile();

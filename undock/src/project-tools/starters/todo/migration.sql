-- A todo list for each user. Users can only read and change their own.

create table public.todos (
  id uuid primary key default gen_random_uuid(),
  owner_id uuid not null default auth.uid() references auth.users on delete cascade,
  title text not null check (char_length(title) between 1 and 500),
  is_done boolean not null default false,
  due_on date,
  created_at timestamptz not null default now()
);
comment on table public.todos is 'Things to do. Each belongs to one user, who alone sees it.';
comment on column public.todos.owner_id is 'Set by default: an app need not send it.';

-- For policies, a user's list (newest first), and deleting users.
create index todos_owner_id_created_at_idx on public.todos (owner_id, created_at desc);

-- Privileges decide which commands a role can use; policies decide for which rows.
alter table public.todos enable row level security;
revoke all on public.todos from anon, authenticated;
grant select, insert, update, delete on public.todos to authenticated;

-- The sub-select makes Postgres call auth.uid() once per statement instead of once per row.
create policy "owners read their todos" on public.todos for select to authenticated
  using (owner_id = (select auth.uid()));
create policy "owners add todos" on public.todos for insert to authenticated
  with check (owner_id = (select auth.uid()));
create policy "owners change their todos" on public.todos for update to authenticated
  using (owner_id = (select auth.uid()))
  with check (owner_id = (select auth.uid()));
create policy "owners delete their todos" on public.todos for delete to authenticated
  using (owner_id = (select auth.uid()));

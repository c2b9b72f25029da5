-- A person's questions to a library and its answers: private, and only for members.

create table public.conversations (
  id uuid primary key default gen_random_uuid(),
  library_id uuid not null references public.libraries on delete cascade,
  user_id uuid not null default auth.uid() references public.profiles on delete cascade,
  title text not null check (trim(title) <> '' and char_length(title) <= 300),
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);

create index conversations_user_id_idx on public.conversations (user_id, library_id, updated_at desc);
create index conversations_library_id_idx on public.conversations (library_id);

grant select, delete, insert (id, library_id, title), update (title) on public.conversations to authenticated;

create policy "members keep their own conversations" on public.conversations for all to authenticated
  using (user_id = (select auth.uid()) and library_id in (select private.library_ids()))
  with check (user_id = (select auth.uid()) and library_id in (select private.library_ids()));

create table public.questions (
  id uuid primary key default gen_random_uuid(),
  conversation_id uuid not null references public.conversations on delete cascade,
  question text not null check (trim(question) <> '' and char_length(question) <= 1000),
  -- { outcome, model, sentences: [{ text, cites }], citations: [{ n, passage_id, document_id, title, page, heading, quote }] }
  answer jsonb not null check (jsonb_typeof(answer) = 'object' and octet_length(answer::text) <= 200000),
  created_at timestamptz not null default now()
);

create index questions_conversation_id_idx on public.questions (conversation_id, created_at);

grant select, delete, insert (id, conversation_id, question, answer) on public.questions to authenticated;

create policy "members keep the questions of their conversations" on public.questions for all to authenticated
  using (exists (select from public.conversations c where c.id = conversation_id))
  with check (exists (select from public.conversations c where c.id = conversation_id));

-- Why a definer: users can't write the time of a conversation's last question.
create function private.touch_conversation() returns trigger
  language plpgsql security definer set search_path = ''
as $$
begin
  update public.conversations set updated_at = now() where id = new.conversation_id;
  return null;
end
$$;
create trigger touch_conversation after insert on public.questions
  for each row execute function private.touch_conversation();

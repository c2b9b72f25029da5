-- The project of the front page: notes of two people.
create table public.notes (
  id bigint generated always as identity primary key,
  owner uuid not null default auth.uid() references auth.users on delete cascade,
  title text not null,
  shared boolean not null default false
);
alter table public.notes enable row level security;

insert into public.notes (owner, title, shared) values
  ('11111111-1111-4111-8111-111111111111', 'Bernoulli numbers, a table', true),
  ('11111111-1111-4111-8111-111111111111', 'Ask Babbage for the cards', false),
  ('22222222-2222-4222-8222-222222222222', 'A moth in relay 70', true),
  ('22222222-2222-4222-8222-222222222222', 'Sketch of a compiler', false);

-- Two documents of Ada and two of Grace, of which one is shared.
insert into public.documents (owner_id, title, body, is_shared)
select id, title, body, is_shared
from auth.users
join (values
  ('ada@example.com', 'Notes on the engine', 'The engine weaves algebraic patterns as the loom weaves flowers and leaves.', false),
  ('ada@example.com', 'Reading list', 'Sketch of the analytical engine; on the economy of machinery.', false),
  ('grace@example.com', 'How a compiler works', 'A compiler turns a program that people read into one that machines run.', true),
  ('grace@example.com', 'Diary', 'Found a moth in a relay of the machine.', false)) as document (email, title, body, is_shared)
  using (email);

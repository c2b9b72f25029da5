-- A demo account and library: demo@carrel.local, password carrel-demo-library
insert into auth.users (
  id, instance_id, aud, role, email, encrypted_password, email_confirmed_at, raw_app_meta_data, raw_user_meta_data,
  created_at, updated_at, confirmation_token, recovery_token, email_change, email_change_token_new)
values (
  'de300000-0000-4000-8000-000000000001', '00000000-0000-0000-0000-000000000000', 'authenticated', 'authenticated',
  'demo@carrel.local', extensions.crypt('carrel-demo-library', extensions.gen_salt('bf')), now(),
  '{"provider": "email", "providers": ["email"]}', '{"display_name": "Dana Demo"}', now(), now(), '', '', '', '');
insert into auth.identities (id, user_id, provider_id, provider, identity_data, last_sign_in_at, created_at, updated_at)
values (
  'de300000-0000-4000-8000-000000000002', 'de300000-0000-4000-8000-000000000001', 'de300000-0000-4000-8000-000000000001', 'email',
  '{"sub": "de300000-0000-4000-8000-000000000001", "email": "demo@carrel.local", "email_verified": true}', now(), now(), now());

-- The activity names the person whose claims the session has.
select set_config('request.jwt.claims', '{"sub": "de300000-0000-4000-8000-000000000001", "role": "authenticated"}', false);

insert into public.libraries (id, name, description, created_by) values (
  'de300000-0000-4000-8000-000000000010', 'Reading room',
  'A few short essays to try Carrel on: search them, open a passage, leave a comment.', 'de300000-0000-4000-8000-000000000001');
insert into public.members (library_id, user_id, role)
  values ('de300000-0000-4000-8000-000000000010', 'de300000-0000-4000-8000-000000000001', 'owner');
insert into public.collections (id, library_id, parent_id, name, position) values
  ('de300000-0000-4000-8000-000000000020', 'de300000-0000-4000-8000-000000000010', null, 'Libraries', 1),
  ('de300000-0000-4000-8000-000000000021', 'de300000-0000-4000-8000-000000000010', 'de300000-0000-4000-8000-000000000020', 'Catalogues', 1),
  ('de300000-0000-4000-8000-000000000022', 'de300000-0000-4000-8000-000000000010', null, 'Sea and light', 2);
insert into public.tags (id, library_id, name, color) values
  ('de300000-0000-4000-8000-000000000030', 'de300000-0000-4000-8000-000000000010', 'history', 'amber'),
  ('de300000-0000-4000-8000-000000000031', 'de300000-0000-4000-8000-000000000010', 'how it works', 'teal'),
  ('de300000-0000-4000-8000-000000000032', 'de300000-0000-4000-8000-000000000010', 'start here', 'violet');

create temporary table essays (n integer, collection uuid, tags uuid[], title text, body text);
insert into essays values
(1, null, array['de300000-0000-4000-8000-000000000032']::uuid[], 'Welcome to the reading room', $essay$# Welcome to the reading room

This library holds six short essays, so that you have something to search before you add documents of your own.

## What to try first

Open the search and ask for something in your own words: *how far can a light be seen*, *who invented the card drawer*, *why do archivists turn off the lamp*. The answers are passages, not files. Each shows its document and its heading, and why it was found: because the words match, because the meaning is close, or both.

Choose a passage to open it in its document. You can select a sentence and comment on it. Everyone who reads the document sees the comment next to the text.

## Adding your own

Drop a PDF, a Markdown file, a saved web page or a plain text file anywhere on the shelf. Its card shows when it can be searched. If a file can't be read, because it has a password or is only a picture of a page, the card says so and what you can do about it. The file is kept either way, and you can read it again later.

## Who can do what

Readers read and comment. Editors also add, change and delete documents. Owners also invite people and change the library's settings. A removed document goes to the trash and stays there for thirty days.
$essay$),
(2, 'de300000-0000-4000-8000-000000000021', array['de300000-0000-4000-8000-000000000030']::uuid[], 'A short history of the index card', $essay$# A short history of the index card

An index card is a piece of stiff paper that holds one thought and can be moved. Both halves of that sentence matter. A bound book holds many thoughts in an order that cannot be changed; a loose card can be put before or behind any other, forever.

## From playing cards to drawers

When the new government of France took over the libraries of monasteries and of people who had fled, in 1791, it wanted one list of all their books and had no paper to spare for it. The instructions of that year told the local officers to write each title on the back of a playing card, which at the time was blank. The cards were to be sorted by author, tied together with a thread through the corner, and sent to Paris. It was the first catalogue on cards that a whole country worked on.

Naturalists had found the same trick on their own. Carl Linnaeus, who had to give every plant a place among thousands that were still to be found, changed late in his life from notebooks to small slips of one size. A slip for a new plant could be laid between two old ones without writing anything out again.

## The standard size

A drawer only works when all cards are alike. In the 1870s American librarians agreed on a card of seven and a half by twelve and a half centimetres, and a supply company founded by Melvil Dewey sold the cards, the drawers and the rods that kept the cards from being taken out. For a hundred years any library could order printed cards from a central office and file them on the same day.

## What the card taught the computer

One record for one thing, in a fixed form, found by a key and sorted by need: the people who built the first databases had grown up with such drawers. The card catalogue has gone, and its last printed cards were delivered in 2015. Its way of thinking has stayed: write one thought down, give it an address, and let the order be made when somebody asks.
$essay$),
(3, 'de300000-0000-4000-8000-000000000021', array['de300000-0000-4000-8000-000000000031']::uuid[], 'How a library describes a book', $essay$# How a library describes a book

To catalogue a book is to answer, in advance, the questions that readers will come with. There are three of them, and every catalogue since the nineteenth century has been built around them. Does the library have this book? What does it have by this author? What does it have on this subject?

## Description

First the cataloguer copies what the title page says: the title as it is printed there, the names, the edition, the place, the publisher and the year. Then come the pages, the height of the spine and whether there are pictures. The rule is to transcribe and not to improve. A misprint on the title page is copied with its misprint, because a reader who holds another copy must be able to tell that it is the same edition.

## Authority

Names are harder. One author signs with initials, with a married name and with a pen name; two others share one name between them. A library therefore keeps a second file, the authority file, in which each person has one preferred form, with references from all the others. The form itself is arbitrary. What counts is that everything by one person stands in one place, and nothing by anybody else does.

## Subject

A subject heading is a promise that the word in the list means one thing only. *Mercury* must be split into the planet, the metal and the god before it can be of use to anyone. The cataloguer reads the preface and the contents, asks what the book is mainly about, and chooses the most exact heading the list has, even if a broader one would bring more readers to it.

## The call number

Last of all the book gets a place. A classification turns the subject into a number, so that books on one subject stand next to each other, and a few letters of the author's name keep their order within the number. The call number is an address on a shelf and a statement about the world at once, which is why people have never stopped arguing about it.
$essay$),
(4, 'de300000-0000-4000-8000-000000000022', array['de300000-0000-4000-8000-000000000031', 'de300000-0000-4000-8000-000000000030']::uuid[], 'How a lighthouse works', $essay$# How a lighthouse works

A lighthouse answers two questions for somebody who cannot see the land: where is the danger, and where am I? For the first it is enough to shine. For the second each light has to be different from its neighbours.

## Making the beam

A bare flame sends its light in all directions, and most of it to the sky and to the foot of the tower. Mirrors behind the flame caught part of it, but a polished metal mirror swallows nearly half of what falls on it. In 1822 Augustin Fresnel set rings of glass prisms around the lamp instead. The inner rings bend the light, the outer ones reflect it inside the glass, and all of it leaves in one flat beam. A large lens of the first order is taller than a person and sends more than four fifths of the flame's light towards the horizon.

## Telling lights apart

A light that is always on could be any light, or a house, or a star. So the lens turns. Each of its panels throws one beam, and a ship sees a flash whenever a beam sweeps over it. The number of flashes and the time in between are the light's character, and they are printed on the chart: *two flashes every ten seconds* is a name that can be read at night. Lenses of several tonnes floated in a trough of mercury, so that a clockwork with a falling weight, wound up by the keeper every few hours, could turn them evenly.

## How far it can be seen

Two things limit a light. One is its power against the haze. The other is the curve of the earth: from a bridge five metres above the water, the horizon is less than five nautical miles away, and a tower of forty metres adds another thirteen. This is why lighthouses are tall where the coast is low, and short where they can stand on a cliff. A light on a very high cliff would be lost in the clouds.

## Fog

Light fails when it is needed most. Stations had bells, then guns, then sirens and diaphones driven by compressed air, whose low grunt carried for miles. Radio beacons and satellites have taken over that duty, and most of the horns are silent today.
$essay$),
(5, 'de300000-0000-4000-8000-000000000020', array['de300000-0000-4000-8000-000000000031']::uuid[], 'Keeping paper for five hundred years', $essay$# Keeping paper for five hundred years

Paper that was made from linen rags in 1500 is often whiter and stronger than a newspaper from 1950. The difference is chemistry, and an archive's work is to slow chemistry down.

## What destroys paper

Paper consists of long chains of cellulose. Acid cuts them. From about 1850 mills made paper of ground wood and sized it with alum and resin, which leave acid behind; the sheet turns brown, then brittle, then breaks at a touch. Warmth speeds this up: with every five degrees the reaction goes about twice as fast. Damp feeds mould, dryness makes the fibres stiff, and a change between the two works the sheet like a wire that is bent to and fro.

Light does harm that cannot be undone. It bleaches inks and yellows the sheet, and the harm adds up: an hour in bright light counts as much as ten hours in dim light. That is why exhibitions of drawings are so dark, and why the lamp in a store goes out when the last person leaves.

## What an archive does

A store is kept cool, near sixteen degrees, and steady, with the humidity between forty and fifty per cent. Sheets lie in boxes of board without acid, which buffer the climate and keep off dust and light. Metal clips are taken out because they rust. Volumes whose paper has become acid can be bathed in an alkaline solution that stops the decay, though it cannot give back strength that has been lost.

## Reading without wearing out

Each use wears. Readers are asked for clean, dry hands rather than gloves, since cotton dulls the fingertips and tears pages. Heavy bindings are laid on foam wedges so that the spine need not open flat. What is asked for most often is photographed once, and the picture is handed out from then on. A good copy protects the original better than any vault.
$essay$),
(6, 'de300000-0000-4000-8000-000000000022', array['de300000-0000-4000-8000-000000000030']::uuid[], 'The keeper''s logbook', $essay$# The keeper's logbook

Every station had a book in which the keepers wrote down the watch: when the lamp was lit and put out, the weather, the passing ships, the oil that was used. Taken one by one the entries are dull. Read by the hundred they are the longest series of observations we have of many coasts.

## A night in entries

The lamp was lit at sunset and put out at sunrise, and in between somebody stayed awake. Three keepers shared the night in watches of four hours. Every half hour the one on duty climbed to the lantern, trimmed the wick, looked whether the glass was clean, and wound the clockwork. The relief was called by a bell, and the watch was not handed over until both had signed.

## Dull on purpose

Inspectors taught the keepers to write what they had seen and not what they made of it. *Wind north-west, force eight, sea breaking over the gallery* is a good entry. *A terrible night* is not. The plain form is what makes the books comparable: someone who never met the keeper can lay ten stations side by side and follow a storm along the coast, hour by hour.

## What came of them

Meteorologists have typed in such logs by the million lines. They show winters harder than any since, years in which the herring came late, and the slow change in the month of the first autumn gale. Historians of shipping use the lists of passing sails. And a family that wants to know on which day a great-grandmother came to the island may find her in the column for remarks, between the oil and the barometer: *landed stores, two sheep, and the assistant's wife*.

## A lesson for note takers

Date it. Say who saw it. Write what happened before you write what it means, and leave room next to it, since the reader who will need the note is not born yet.
$essay$);

/* Each essay becomes a note, and each paragraph a passage with its headings. The database's own embeddings make search work before any
   function has run. */
do $$
declare
  essay record;
  note uuid;
  version uuid;
begin
  for essay in select * from essays order by n loop
    note := ('de300000-0000-4000-8000-0000000001' || lpad(essay.n::text, 2, '0'))::uuid;
    insert into public.documents (id, library_id, collection_id, kind, title, created_by, created_at)
      values (note, 'de300000-0000-4000-8000-000000000010', essay.collection, 'note', essay.title,
        'de300000-0000-4000-8000-000000000001', now() - make_interval(days => 7 * essay.n));
    insert into public.versions (library_id, document_id, body, mime_type, size_bytes, created_by)
      values ('de300000-0000-4000-8000-000000000010', note, essay.body, 'text/markdown', 0, 'de300000-0000-4000-8000-000000000001')
      returning id into version;
    insert into public.document_tags (library_id, document_id, tag_id)
      select 'de300000-0000-4000-8000-000000000010', note, unnest(essay.tags);
    perform public.replace_passages(version, (
      select jsonb_agg(jsonb_build_object(
        'heading', concat_ws(' › ', h1, h2), 'start', start, 'end', start + char_length(block), 'content', replace(block, '*', '')
      ) order by n)
      from (
        select n, block, sum(char_length(block) + 2) over (order by n) - char_length(block) - 2 as start,
          max(substr(block, 3)) filter (where block like '# %') over (order by n) as h1,
          (array_agg(substr(block, 4)) filter (where block like '## %') over (order by n desc rows between current row and unbounded following))[1] as h2
        from string_to_table(essay.body, E'\n\n') with ordinality as b (block, n)
      ) blocks
      where block not like '#%'
    ));
  end loop;
end
$$;
drop table essays;

insert into public.comments (library_id, document_id, passage_id, quote, body, created_by)
select library_id, document_id, id, 'a name that can be read at night',
  'This is the sentence I would put on the wall.', 'de300000-0000-4000-8000-000000000001'
from public.passages where content like '%a name that can be read at night%';

select set_config('request.jwt.claims', '', false);

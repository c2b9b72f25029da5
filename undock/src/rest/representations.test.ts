import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openRest, type RestHarness } from './testing/service.ts'

let rest: RestHarness
beforeAll(async () => {
  rest = await openRest(`
    create table public.places (id int primary key, name text, at point);
    -- What the API calls of PostGIS, which takes half a minute to create.
    create function extensions.st_asgeojson(one record) returns text language plpgsql stable as $$
    declare shape point := (to_jsonb(one) ->> 'at')::point;
    begin
      if shape is null then raise exception 'geometry column is missing' using errcode = '22023'; end if;
      return json_build_object('type', 'Feature',
        'geometry', json_build_object('type', 'Point', 'coordinates', json_build_array(shape[0], shape[1])),
        'properties', to_jsonb(one) - 'at');
    end $$;
    create table public.plain (id int primary key, name text);
    insert into public.places values (1, 'Pier', '(1,2)'), (2, 'Quay', '(3,4)');
    insert into public.plain values (1, 'a'), (2, null);
    create function public.piers() returns setof public.places language sql stable as 'select * from public.places where id = 1';

    create domain public."text/html" as text;
    create domain public."application/vnd.total" as bytea;
    create function public.list_item(html public."text/html", one public.plain) returns public."text/html" language sql immutable
      as $$ select (html || '<li>' || coalesce(one.name, '') || '</li>')::public."text/html" $$;
    create aggregate public.as_list(public.plain) (sfunc = public.list_item, stype = public."text/html", initcond = '');
    create function public.count_one(state public."application/vnd.total", one anyelement) returns public."application/vnd.total"
      language sql immutable as $$ select (state || '\\x2e')::public."application/vnd.total" $$;
    create aggregate public.as_total(anyelement) (sfunc = public.count_one, stype = public."application/vnd.total", initcond = '');
    create domain public."application/vnd.tree" as jsonb;
    create domain public."text/xml" as pg_catalog.xml;
    create function public.tree() returns public."application/vnd.tree" language sql stable as
      $$ select '{"a":1}'::public."application/vnd.tree" $$;
    create function public.markup() returns public."text/xml" language sql stable as
      $$ select E'\n<p>hi</p>'::xml::public."text/xml" $$;
    create function public.page() returns public."text/html" language sql stable as $$ select '<p>hi</p>'::public."text/html" $$;

    create domain public.colour as int;
    create function public.shown(public.colour) returns json language sql immutable
      as $$ select to_json('#' || lpad(to_hex($1), 6, '0')) $$;
    create function public.read(json) returns public.colour language sql immutable
      as $$ select ('x' || lpad(substring($1 #>> '{}' from 2), 8, '0'))::bit(32)::int::public.colour $$;
    create function public.read(text) returns public.colour language sql immutable
      as $$ select ('x' || lpad(substring($1 from 2), 8, '0'))::bit(32)::int::public.colour $$;
    create cast (public.colour as json) with function public.shown(public.colour) as implicit;
    create cast (json as public.colour) with function public.read(json) as implicit;
    create cast (text as public.colour) with function public.read(text) as implicit;
    create table public.paints (id int primary key, colour public.colour);
    insert into public.paints values (1, 255);`)
})
afterAll(() => rest.close())

describe('GeoJSON', () => {
  const accept = 'application/geo+json'
  const pier = {
    type: 'Feature',
    geometry: { type: 'Point', coordinates: [1, 2] },
    properties: { id: 1, name: 'Pier' },
  }

  test.each([
    ['of a table', '/places?id=eq.1', {}],
    ['of a function', '/rpc/piers', {}],
    [
      'of changed rows',
      '/places?id=eq.1',
      { method: 'PATCH', body: '{"name": "Pier"}', headers: { accept, prefer: 'return=representation' } },
    ],
  ])('%s', async (_name, path, init) => {
    const response = await rest.fetch(path, { headers: { accept }, ...init })
    expect([response.status, response.headers.get('content-type'), await response.json()]).toEqual([
      200,
      'application/geo+json; charset=utf-8',
      { type: 'FeatureCollection', features: [pier] },
    ])
  })

  test("of rows without a geometry returns PostGIS's error", async () => {
    const response = await rest.fetch('/plain', { headers: { accept } })
    expect([response.status, await response.json()]).toEqual([
      400,
      { code: '22023', details: null, hint: null, message: 'geometry column is missing' },
    ])
  })
})

describe('custom media types', () => {
  test.each([
    ['an aggregate over one table', '/plain?order=id', 'text/html', 'text/html', '<li>a</li><li></li>'],
    ['an aggregate over any', '/paints', 'application/vnd.total', 'application/vnd.total', '.'],
    [
      'a function over jsonb, with the version of its format',
      '/rpc/tree',
      'application/vnd.tree',
      'application/vnd.tree',
      '\u0001{"a": 1}',
    ],
    ['a function over XML, without a leading empty line', '/rpc/markup', 'text/xml', 'text/xml', '<p>hi</p>'],
    ['a function', '/rpc/page', 'text/html, */*', 'text/html', '<p>hi</p>'],
  ])('%s', async (_name, path, accept, type, body) => {
    const response = await rest.fetch(path, { headers: { accept } })
    expect([response.status, response.headers.get('content-type')?.split(';')[0], await response.text()]).toEqual([
      200,
      type,
      body,
    ])
  })

  test('without a handler are rejected', async () => {
    const response = await rest.fetch('/paints', { headers: { accept: 'text/html' } })
    expect([response.status, await response.json()]).toMatchObject([
      406,
      { code: 'PGRST107', message: 'None of these media types are available: text/html' },
    ])
  })
})

describe('domains with their own representation', () => {
  test('are read, filtered and written in it', async () => {
    const all = () => rest.anon.from('paints').select('id,colour').order('id')
    expect((await all()).data).toEqual([{ id: 1, colour: '#0000ff' }])
    expect((await rest.anon.from('paints').select('id').eq('colour', '#0000ff')).data).toEqual([{ id: 1 }])
    const made = await rest.anon.from('paints').insert({ id: 2, colour: '#00ff00' }).select().single()
    expect(made.data).toEqual({ id: 2, colour: '#00ff00' })
    const changed = await rest.anon.from('paints').update({ colour: '#ff0000' }).eq('id', 2).select().single()
    expect(changed.data).toEqual({ id: 2, colour: '#ff0000' })
    expect((await rest.db.query({ text: 'select colour from public.paints where id = 2', values: [] })).rows).toEqual([
      { colour: 0xff0000 },
    ])
  })
})

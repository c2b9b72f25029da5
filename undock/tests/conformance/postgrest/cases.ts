import type { HttpClient, RawRequest, RawResponse } from './client.ts'

/** A spec's request, and how its response differs from the expected one. */
export type Case = {
  readonly place: readonly string[]
  readonly request: RawRequest
  readonly response: RawResponse
  readonly misses: string[]
  expectations: number
}

/** An example or a group of examples that couldn't be translated. */
export type Untranslated = { readonly place: readonly string[]; readonly reason: string }

/** The results of one run. */
export class Results {
  readonly cases: Case[] = []
  readonly untranslated: Untranslated[] = []
}

/** Where examples are: below the names of their groups, with their groups' settings. */
export class Group<Settings> {
  readonly place: readonly string[]
  readonly settings: Settings | null
  readonly results: Results
  /** Applies the settings and returns a client for them. */
  readonly prepare: (settings: Settings) => Promise<HttpClient>

  constructor(
    place: readonly string[],
    settings: Settings | null,
    { results, prepare }: Pick<Group<Settings>, 'results' | 'prepare'>,
  ) {
    this.place = place
    this.settings = settings
    this.results = results
    this.prepare = prepare
  }

  below(name: string): Group<Settings> {
    return new Group([...this.place, name], this.settings, this)
  }

  with(settings: Settings): Group<Settings> {
    return new Group(this.place, settings, this)
  }
}

/** A running example. Expectations apply to its latest response unless they name another. */
export class Example {
  readonly place: readonly string[]
  readonly cases: Case[] = []
  readonly #client: HttpClient

  constructor(place: readonly string[], client: HttpClient) {
    this.place = place
    this.#client = client
  }

  async send(request: RawRequest): Promise<Case> {
    const response = await this.#client.send(request)
    const made: Case = { place: this.place, request, response, misses: [], expectations: 0 }
    this.cases.push(made)
    return made
  }

  /** @param miss What is wrong; null if the expectation is met. */
  expect(miss: string | null, about = this.cases.at(-1)): void {
    if (!about) throw new Error('An expectation before the first request')
    about.expectations += 1
    if (miss !== null) about.misses.push(miss)
  }
}

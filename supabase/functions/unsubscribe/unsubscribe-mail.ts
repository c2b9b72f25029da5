type UnsubscribingDeps = {
  /** @returns whether the token is valid. */
  readonly unsubscribe: (token: string) => Promise<boolean>
  readonly site: string | undefined
}

const MAX_TOKEN_LENGTH = 200

const answer = (status: number, message: string): Response =>
  new Response(`${message}\n`, { status, headers: { 'Content-Type': 'text/plain; charset=utf-8' } })

/** One-click unsubscription (RFC 8058): a POST to the address in the mail's header, whose body is ignored. A GET only
 *  leads to the settings, because mail scanners follow every link. */
export async function answerUnsubscribe(request: Request, { unsubscribe, site }: UnsubscribingDeps): Promise<Response> {
  if (request.method === 'GET' && site)
    return new Response(null, { status: 303, headers: { Location: `${site.replace(/\/+$/, '')}/settings/profile` } })
  if (request.method !== 'POST') return answer(405, 'Send a POST request to stop these emails.')
  const token = new URL(request.url).searchParams.get('token') ?? ''
  if (token === '' || token.length > MAX_TOKEN_LENGTH)
    return answer(400, 'The link has no token. Use the one in the email.')
  try {
    return (await unsubscribe(token))
      ? answer(200, 'You won’t get any more notification emails. You can turn them on again in your profile.')
      : answer(404, 'This token isn’t valid. Use the link in the email.')
  } catch (error) {
    console.error(error)
    return answer(500, 'Something went wrong on our side. Try again in a moment.')
  }
}

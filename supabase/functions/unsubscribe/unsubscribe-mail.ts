type UnsubscribingDeps = {
  /** @returns whether somebody has mails with this token. */
  readonly unsubscribe: (token: string) => Promise<boolean>
  readonly site: string | undefined
}

const LONGEST_TOKEN = 200

const answer = (status: number, message: string): Response =>
  new Response(`${message}\n`, { status, headers: { 'Content-Type': 'text/plain; charset=utf-8' } })

/** One-click unsubscription as RFC 8058 has it: a POST to the address in the mail's header, whose body is not looked at. A GET
 *  changes nothing, because programs that check mails follow every link: it leads to the person's settings. */
export async function answerUnsubscribe(request: Request, { unsubscribe, site }: UnsubscribingDeps): Promise<Response> {
  if (request.method === 'GET' && site)
    return new Response(null, { status: 303, headers: { Location: `${site.replace(/\/+$/, '')}/settings/profile` } })
  if (request.method !== 'POST') return answer(405, 'Send a POST request to stop these mails.')
  const token = new URL(request.url).searchParams.get('token') ?? ''
  if (token === '' || token.length > LONGEST_TOKEN)
    return answer(400, 'The address has no token. Use the one in the mail.')
  try {
    return (await unsubscribe(token))
      ? answer(200, 'You get no more mails about notifications. You can turn them on again in your profile.')
      : answer(404, 'Nobody has mails with this token. Use the address in the mail.')
  } catch (error) {
    console.error(error)
    return answer(500, 'Something went wrong on our side. Try again in a moment.')
  }
}

/** Where mailed links and providers lead back to. @param next The path to go on to from there. */
export const callbackUrl = (next: string): string => `${location.origin}/auth/callback?${new URLSearchParams({ next })}`

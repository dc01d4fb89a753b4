const PREFIX = "login: "

/** The login failed. The run ends, because the site's responses from now on don't show what its pages contain. */
export class LoginError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(`${PREFIX}${message}`, options)
    this.name = "LoginError"
  }
}

/** Whether the recorded error of a failed run is a {@link LoginError}. */
export const isLoginError = (message: string | null): boolean => message?.startsWith(PREFIX) ?? false

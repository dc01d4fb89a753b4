const PREFIX = "login: "

/** The login failed. The run ends, because anything that the site returns from now on says nothing about its pages. */
export class LoginError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(`${PREFIX}${message}`, options)
    this.name = "LoginError"
  }
}

/** Whether the recorded error of a failed run is a {@link LoginError}. */
export const isLoginError = (message: string | null): boolean => message?.startsWith(PREFIX) ?? false

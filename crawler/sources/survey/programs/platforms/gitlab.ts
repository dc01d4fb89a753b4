import { marksOn, noVersion, type Program } from "../program.ts"

export const gitlab: Program = {
  name: "GitLab",
  recipe: "gitlab-and-gitlab-pages",
  evidence: (look) => [
    ...marksOn(look, [
      { where: "header", header: "x-gitlab-meta", fits: /./, says: "it sends X-Gitlab-Meta" },
      { where: "markup", fits: /\bgon\.gitlab_url\s*=/, says: "its scripts use gon.gitlab_url" },
    ]),
    ...(look.meta.get("og:site_name") === "GitLab" ? ["the page calls its site GitLab"] : []),
  ],
  version: noVersion,
  advise: () => ({
    exclude: [
      "re:/-/(?:blame|commits?|compare|network|graphs|raw|find_file|edit|new|create|branches|tags|pipelines|jobs|artifacts|environments|starrers|forks|project_members|activity|logs_tree|archive|feature_flags|boards|settings)(?:/|\\?|$)",
      "re:/-/(?:issues|merge_requests|milestones|snippets)(?:/[^?]*)?\\?",
      "re:[?&](?:ref_type|sort|scope|state|label_name%5B%5D|assignee_username|author_username|utf8|inline|view|format|private_token|feed_token)=",
      "/users/**",
      "/search",
      "/explore/**",
      "/help/**",
      "*.{atom,diff,patch,ics}",
    ],
    login: "/users/sign_in",
    notes: [
      "READMEs, wikis and documentation pages can be read as they are. Scripts render the views of source files; use a repository source for those.",
    ],
  }),
}

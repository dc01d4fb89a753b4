// What is asked in vain, and why: written before anything was asked. The site that is crawled for it is made of this list
// (bench/quality/misses/world.ts).

/** What the site does with the page that a question asks for, or what the request does. */
export type Seed =
  | "indexed"
  | "robots"
  | "noindex"
  | "removed"
  | "not-found"
  | "excluded"
  | "other-host"
  | "beyond-limit"
  | "never-run"
  | "login-failed"
  | "empty"
  | "picture"
  | "broken"
  | "out-of-reach"
  | "nowhere"
  | "filtered"

/** How it is asked: a question, an address, or a question with parameters. */
export interface MissQuestion {
  /** The thing asked for, two words that no other page has. */
  readonly thing: string
  readonly seed: Seed
  readonly by: "question" | "address"
  readonly question: string
  readonly parameters?: Readonly<Record<string, unknown>>
  /** Any of these is right; none: it is found. */
  readonly causes: readonly string[]
}

const THINGS =
  `badger basalt,heron quartz,otter slate,lynx granite,marten flint,weasel marble,beaver chalk,falcon gypsum,kestrel talc,osprey zircon,
  plover garnet,curlew topaz,dunlin opal,godwit jasper,avocet onyx,bittern agate,crane beryl,ibis cobalt,stork nickel,egret bismuth,
  puffin cadmium,gannet chromium,fulmar gallium,petrel indium,skua iridium,tern lithium,gull osmium,auk radium,eider rhodium,teal selenium,
  wigeon strontium,pochard tantalum,scoter tellurium,smew thallium,merganser thorium,goosander titanium,grebe tungsten,coot uranium,rail vanadium,crake yttrium,
  lapwing zinc,sandpiper amber,turnstone jade,whimbrel jet,snipe ivory,woodcock coral,phalarope pearl,pratincole nacre,dotterel tourmaline,bustard olivine,
  nightjar epidote,swift kyanite,hoopoe labradorite,roller malachite,wryneck magnetite,woodlark pyrite,skylark galena,pipit sphalerite,wagtail cinnabar,waxwing realgar,
  dipper orpiment,wren stibnite,dunnock barite,robin celestine,nightingale anhydrite,redstart dolomite,whinchat magnesite,wheatear siderite,thrush rhodonite,fieldfare aragonite,
  redwing calcite,blackcap azurite,warbler turquoise,goldcrest variscite,flycatcher apatite,nuthatch fluorite,treecreeper halite,oriole sylvite,shrike borax,jackdaw colemanite,
  raven ulexite,starling corundum,sparrow spinel,chaffinch chrysoberyl,brambling rutile,greenfinch anatase,siskin cassiterite,linnet uraninite,twite hematite,redpoll goethite,
  crossbill limonite,bullfinch bauxite,hawfinch kaolin,bunting illite,salmon chlorite,trout serpentine,grayling pyrophyllite,pike muscovite,perch biotite,zander lepidolite,
  carp orthoclase,tench microcline,bream albite,roach anorthite,rudd nepheline,chub leucite,dace sodalite,barbel lazurite,gudgeon analcime,loach chabazite,
  burbot heulandite,sturgeon stilbite,lamprey natrolite,eel scolecite,herring diopside,sprat augite,anchovy hornblende,mackerel actinolite,tuna tremolite,cod wollastonite,
  haddock enstatite,whiting staurolite,pollack andalusite,hake sillimanite,ling mullite,halibut almandine,plaice pyrope,turbot spessartine,brill grossular,dab andradite,
  sole vesuvianite,flounder axinite,wrasse datolite,goby titanite,blenny monazite,gurnard xenotime,lumpsucker scheelite,mullet wolframite,bass molybdenite,dory columbite,
  adder wulfenite,viper crocoite,slowworm vanadinite,newt mimetite,toad erythrite,frog vivianite,salamander annabergite,tortoise wavellite,terrapin lazulite,gecko torbernite,
  skink autunite,iguana carnotite,monitor jarosite,chameleon alunite,anole brochantite,basilisk chalcanthite,agama melanterite,caiman epsomite,gharial mirabilite,mamba thenardite,
  cobra glauberite,krait polyhalite,python kainite,boa carnallite,anaconda cryolite,taipan boracite,camel howlite,llama kernite,alpaca tincalconite,vicuna datolith,
  guanaco periclase,dromedary brucite,tapir gibbsite,okapi diaspore,giraffe boehmite,gazelle manganite,impala pyrolusite,kudu hausmannite,eland braunite,oryx franklinite,
  gnu chromite,duiker ilmenite,bongo perovskite,nyala pyrochlore,sitatunga samarskite,ibex euxenite,chamois fergusonite,markhor gadolinite,tahr allanite,goral zoisite,
  wapiti clinozoisite,caribou piemontite,moose prehnite,elk pumpellyite,muntjac lawsonite,pudu ilvaite,addax hemimorphite,springbok bertrandite,steenbok cordierite,klipspringer benitoite`
    .split(",")
    .map((thing) => thing.trim())

/** How people ask; none of these words is in a name. */
const FORMS = [
  (thing: string) => `${thing} handbook`,
  (thing: string) => `how to mend the ${thing}`,
  (thing: string) => `What is the ${thing}?`,
  (thing: string) => thing,
]

interface Group {
  readonly count: number
  readonly seed: Seed
  readonly by: MissQuestion["by"]
  readonly causes: readonly string[]
  readonly parameters?: readonly Readonly<Record<string, unknown>>[]
}

// `{host}` is replaced by that of a site that nobody crawls.
const GROUPS: readonly Group[] = [
  { count: 8, seed: "robots", by: "address", causes: ["robots"] },
  { count: 8, seed: "robots", by: "question", causes: ["robots"] },
  { count: 8, seed: "noindex", by: "address", causes: ["noindex"] },
  { count: 8, seed: "noindex", by: "question", causes: ["noindex"] },
  { count: 10, seed: "removed", by: "address", causes: ["removed"] },
  { count: 12, seed: "removed", by: "question", causes: ["removed"] },
  { count: 6, seed: "not-found", by: "address", causes: ["not-found"] },
  { count: 6, seed: "not-found", by: "question", causes: ["not-found"] },
  { count: 6, seed: "excluded", by: "address", causes: ["out-of-scope"] },
  { count: 6, seed: "excluded", by: "question", causes: ["out-of-scope"] },
  { count: 6, seed: "other-host", by: "address", causes: ["out-of-scope"] },
  {
    count: 10,
    seed: "other-host",
    by: "question",
    causes: ["out-of-scope"],
    parameters: [{ include_domains: ["{host}"] }, { site: "{host}" }],
  },
  { count: 6, seed: "beyond-limit", by: "address", causes: ["not-crawled"] },
  { count: 6, seed: "beyond-limit", by: "question", causes: ["not-crawled"] },
  { count: 4, seed: "never-run", by: "address", causes: ["not-crawled"] },
  {
    count: 4,
    seed: "never-run",
    by: "question",
    causes: ["not-crawled"],
    parameters: [{ sources: ["never"] }],
  },
  { count: 6, seed: "login-failed", by: "address", causes: ["login-failed"] },
  {
    count: 8,
    seed: "login-failed",
    by: "question",
    causes: ["login-failed"],
    parameters: [{ sources: ["vault"] }, { sources: ["open", "vault"] }],
  },
  { count: 4, seed: "empty", by: "address", causes: ["unreadable"] },
  { count: 4, seed: "picture", by: "address", causes: ["unreadable"] },
  { count: 4, seed: "broken", by: "address", causes: ["unreachable"] },
  { count: 6, seed: "out-of-reach", by: "address", causes: ["reach"] },
  { count: 14, seed: "out-of-reach", by: "question", causes: ["reach"] },
  {
    count: 16,
    seed: "filtered",
    by: "question",
    causes: ["filter"],
    parameters: [
      { types: ["pdf"] },
      { language: "fr", filter_by_language: true },
      { start_date: "2024-01-01", filter_by_published_date: true },
      { sources: ["other"] },
      { exclude_domains: ["127.0.0.1"] },
      { minus: true },
      { phrase: true },
      { types: ["docx", "xlsx"], sources: ["open"] },
    ],
  },
  {
    count: 10,
    seed: "nowhere",
    by: "question",
    causes: ["no-match"],
    parameters: [{ sources: ["open"] }, { sources: ["open", "other"] }],
  },
  { count: 14, seed: "indexed", by: "question", causes: [] },
]

export const missQuestions: readonly MissQuestion[] = (() => {
  let next = 0
  return GROUPS.flatMap(({ count, parameters, ...group }) =>
    Array.from({ length: count }, (_, at): MissQuestion => {
      const thing = THINGS[next]!
      const question = FORMS[next % FORMS.length]!(thing)
      next += 1
      return {
        ...group,
        thing,
        question,
        ...(parameters && { parameters: parameters[at % parameters.length]! }),
      }
    }),
  )
})()

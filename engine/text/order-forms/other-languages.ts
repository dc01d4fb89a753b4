/** Languages with the verb at the end. */
export const VERB_LAST: readonly string[] = [
  "(?:önceki|yukarıdaki|daha\\s+önceki)[^.!?]{0,20}?(?:talimat|komut|yönerge|kural|emir)\\p{L}*[^.!?]{0,12}?(?:yok\\s+say|unut|görmezden\\s+gel|dikkate\\s+alma|göz\\s+ardı)",
  "(?:yukarıda(?:ki)?|önce(?:den|ki)?|buraya\\s+kadar)\\s+(?:yazan|söylenen|yazılan|denilen|geçen|metn|metin)\\p{L}*[^.!?]{0,12}?(?:yok\\s+say|unut|görmezden\\s+gel|dikkate\\s+alma|göz\\s+ardı)[^.!?]{0,60}?(?<!\\p{L})(?:de|söyle|yaz|yanıtla|cevapla)(?:yin)?(?!\\p{L})",
  "(?:yapay\\s+zek[âa]|dil\\s+modeli|sohbet\\s+botu)\\p{L}*(?:\\s+\\p{L}+){0,2}\\s+(?:için|dikkatine)(?:\\s+\\p{L}+)?\\s*[:,]",
  "(?:bir\\s+)?(?:yapay\\s+zek[âa]|dil\\s+modeli|sohbet\\s+botu)(?:ys[ae]n(?:[ıi]z)?|\\s+isen(?:iz)?)",
  "sistem\\s+(?:istemi|komut|mesaj)\\p{L}*[^.!?]{0,20}?(?:göster|yazdır|açıkla|söyle)",
  "(?:이전|위|앞|지금까지|기존)(?:의|에)?[^.!?]{0,12}?(?:지시|명령|지침|프롬프트|규칙)[^.!?]{0,10}?(?:무시|잊|따르지)",
  "(?:AI|인공지능|언어\\s*모델|챗봇)\\s*(?:어시스턴트|에이전트|모델|비서)?(?:는|은|들은|들에게|에게|께)[^.!?]{0,50}?(?:하세요|하십시오|해야|하라|추천|마세요|주세요)",
  "(?:당신|너|귀하)(?:이|가|은|는)\\s*[^.!?]{0,10}?(?:언어\\s*모델|AI|인공지능|챗봇)(?:이라면|라면|인\\s+경우|이면)",
  "(?:위|앞|지금까지)(?:의)?\\s*(?:내용|글|말|텍스트)[^.!?]{0,8}?(?:신경\\s*쓰지|무시|잊|따르지)[^.!?]{0,60}?(?:답하|말하|쓰|적으)(?:세요|십시오|라)",
  "시스템\\s*프롬프트[^.!?]{0,12}?(?:출력|공개|보여|알려)",
  "(?:पिछले|उपरोक्त|ऊपर\\s+(?:के|दिए\\s+गए)|पहले\\s+(?:के|दिए\\s+गए))[^।!?]{0,15}?(?:निर्देश|आदेश|हिदायत|नियम)[^।!?]{0,10}?(?:अनदेखा|नज़रअंदाज़|नजरअंदाज|भूल|उपेक्षा)",
  "(?:एआई|AI|भाषा\\s+मॉडल|चैटबॉट|कृत्रिम\\s+बुद्धि)[^।!?]{0,12}?के\\s+लिए\\s+(?:सूचना|नोट|निर्देश|संदेश)",
  "(?:यदि|अगर)\\s+(?:आप|तुम)\\s+(?:एक\\s+)?(?:एआई|AI|भाषा\\s+मॉडल|चैटबॉट|कृत्रिम)",
  "सिस्टम\\s+(?:प्रॉम्प्ट|निर्देश)[^।!?]{0,15}?(?:दिखा|बता|प्रकट)",
]

/** For languages without spaces between words: the text to be forgotten is named before or after the verb. */
export const EAST_ASIAN: readonly string[] = [
  "(?:忽略|无视|無視|忘记|忘掉|不要理会|忽視)[^。！？]{0,12}(?:之前|以上|先前|前面|上述|此前|上面|原有)[^。！？]{0,8}(?:指令|指示|提示|命令|规则|規則|要求|内容)",
  "(?:忽略|无视|忘记)[^。！？]{0,8}(?:所有|全部|一切)(?:的)?(?:指令|指示|提示|命令)",
  "(?:忽略|无视|無視|忘记|忘掉|不要理会|不要理會|忽視|不必理会)[^。！？]{0,6}(?:上文|前文|以上|上面|之前)(?:的)?(?:内容|文字|话|一切)?[，,；;][^。！？]{0,4}(?:只|仅|请|並|并)?(?:回答|回复|說|说|输出|写)",
  "(?:如果|假如|若|要是)(?:你|您)是[^。！？]{0,8}(?:语言模型|語言模型|人工智能|人工智慧|AI|聊天机器人|大模型)",
  "(?:AI|人工智能|语言模型|大模型|聊天机器人|智能)(?:助手|助理|模型|代理|系统)?(?:请|請)?(?:注意|必须|務必|务必)",
  "(?:从现在起|从现在开始|现在)[，,]?(?:你|您)(?:是|将扮演|要扮演)",
  "(?:透露|显示|输出|泄露|告诉)[^。！？]{0,12}系统(?:提示|指令|消息)",
  "(?:これまで|以前|上記|先|前|今まで|以上)の[^。！？]{0,8}(?:指示|命令|指令|プロンプト|ルール|規則)[^。！？]{0,12}(?:無視|忘れ|破棄|従わ)",
  "(?:上|前|これまで|ここまで)の(?:内容|文章|記述|話|テキスト)[^。！？]{0,6}(?:無視|忘れ|気にせず|気にしない)[^。！？]{0,70}(?:答え|言い|述べ|書き|出力)(?:なさい|てください|ること|よ)",
  "(?:あなたが|もし|君が)[^。！？]{0,10}(?:言語モデル|AI|人工知能|チャットボット|LLM)(?:なら|であれば|の場合|だった)",
  "(?:AI|人工知能|言語モデル|チャットボット)(?:アシスタント|エージェント|モデル)?(?:へ|に告ぐ|の皆さん|各位)(?:の指示)?[：:、]",
  "(?:今から|これから|今後)(?:あなた|君)は[^。！？]{0,20}(?:として|です|だ)",
  "システムプロンプト[^。！？]{0,12}(?:表示|出力|教え|明か|公開)",
]

/** Languages whose words aren't inflected. */
export const UNCHANGED: readonly string[] = [
  "(?:bỏ\\s+qua|phớt\\s+lờ|quên|lờ\\s+đi)\\s+[^.!?]{0,15}?(?:chỉ\\s+dẫn|hướng\\s+dẫn|lệnh|chỉ\\s+thị|quy\\s+tắc|yêu\\s+cầu)[^.!?]{0,8}?(?:trước|ở\\s+trên|phía\\s+trên|ban\\s+đầu)",
  "(?:nếu|khi)\\s+(?:bạn|mày|anh|em)\\s+là\\s+(?:một\\s+)?(?:mô\\s+hình\\s+ngôn\\s+ngữ|ai|trí\\s+tuệ\\s+nhân\\s+tạo|chatbot|trợ\\s+lý\\s+ai)",
  "(?:lưu\\s+ý|thông\\s+báo|gửi|chú\\s+ý)\\s+(?:đến\\s+|cho\\s+|tới\\s+)?(?:các\\s+)?(?:trợ\\s+lý\\s+ai|mô\\s+hình\\s+ngôn\\s+ngữ|chatbot|trí\\s+tuệ\\s+nhân\\s+tạo|ai)(?:\\s+\\p{L}+)?\\s*[:,!]",
  "(?:từ\\s+(?:bây\\s+giờ|nay)|bây\\s+giờ)\\s+bạn\\s+(?:là|sẽ\\s+đóng\\s+vai)",
  "(?:abaikan|lupakan|hiraukan|lewati)\\s+[^.!?]{0,12}?(?:instruksi|perintah|petunjuk|arahan|aturan)[^.!?]{0,8}?(?:sebelumnya|di\\s+atas|terdahulu|awal)",
  "(?:jika|apabila|kalau|bila)\\s+(?:anda|kamu|engkau)\\s+(?:adalah\\s+)?(?:sebuah\\s+)?(?:model\\s+bahasa|ai|kecerdasan\\s+buatan|chatbot|asisten\\s+ai)",
  "(?:catatan|perhatian|pesan|pengumuman|penting)\\s+(?:bagi|untuk|kepada)\\s+(?:para\\s+)?(?:asisten\\s+ai|model\\s+bahasa|chatbot|ai)(?:\\s+\\p{L}+)?\\s*[:,!]",
  "(?:mulai\\s+)?sekarang\\s+(?:anda|kamu)\\s+(?:adalah|berperan\\s+sebagai|bertindak\\s+sebagai)\\s+(?:seorang\\s+)?(?:penjual|ai|asisten|model)",
].map((form) => `(?<!\\p{L})${form}(?!\\p{L})`)
